package dev.kagzi.sdk;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A child that the workflow describes; {@link #run} or {@link #start} makes it happen. A child is a
 * run of its own, on whatever worker serves it; each step starts one, however often it is replayed.
 * Not thread-safe.
 *
 * @param <I> the child's input
 * @param <O> the child's result
 */
public interface ChildBuilder<I extends @Nullable Object, O extends @Nullable Object> {

  /** The name of the step; {@code child:} and the workflow type unless said otherwise. */
  ChildBuilder<I, O> name(String name);

  /**
   * What the child gets; nothing unless said otherwise.
   *
   * @throws dev.kagzi.sdk.payload.PayloadException if the value cannot be written
   */
  ChildBuilder<I, O> input(I input);

  /**
   * An id of your own for the child. If a live run of the namespace has it, the step fails with a
   * {@link StepFailedException} whose type is {@code ALREADY_ACTIVE}.
   */
  ChildBuilder<I, O> id(String id);

  /** The task queue; the home queue of the workflow type unless said otherwise. */
  ChildBuilder<I, O> queue(String queue);

  /** The version of the workflow; the server's default for the type unless said otherwise. */
  ChildBuilder<I, O> version(String version);

  /** How often and how patiently the child's steps, and the child as a whole, are tried again. */
  ChildBuilder<I, O> retry(Retry retry);

  /** How long the child may take from its start to its end, such as {@code 1h}. */
  ChildBuilder<I, O> timeout(String timeout);

  /**
   * How long the child may take from its start to its end; for ever unless said otherwise.
   *
   * @throws IllegalArgumentException if the time is zero or negative
   */
  ChildBuilder<I, O> timeout(Duration timeout);

  /** How long one attempt of a step may take that does not say it itself, such as {@code 5m}. */
  ChildBuilder<I, O> stepTimeout(String timeout);

  /**
   * How long one attempt of a step of the child may take that does not say it itself; the server's
   * default, ten minutes, unless said otherwise.
   *
   * @throws IllegalArgumentException if the time is zero or negative
   */
  ChildBuilder<I, O> stepTimeout(Duration timeout);

  /**
   * How long a worker that has gone silent keeps the child, such as {@code 2m}; the server's lease
   * unless said otherwise.
   */
  ChildBuilder<I, O> lease(String lease);

  /**
   * How long a worker that has gone silent keeps the child: 15 seconds to 1 hour; the server's
   * lease unless said otherwise.
   */
  ChildBuilder<I, O> lease(Duration lease);

  /**
   * A workflow that is started on the child's own queue when the child has failed or timed out; its
   * input is a {@link WorkflowFailedEvent}. Not started when the child is cancelled.
   */
  ChildBuilder<I, O> onFailure(String type);

  /** A workflow that is started on another queue when the child has failed or timed out. */
  ChildBuilder<I, O> onFailure(String type, String queue);

  /** Something to find the child by. */
  ChildBuilder<I, O> label(String key, String value);

  /**
   * What becomes of the child when this run ends before it; {@link ParentClosePolicy#CANCEL} unless
   * said otherwise.
   */
  ChildBuilder<I, O> parentClosePolicy(ParentClosePolicy policy);

  /**
   * Starts the child and waits for its result, however long that takes: the worker is released
   * meanwhile.
   *
   * @throws ChildFailedException if the child has ended without a result
   * @throws StepFailedException if there is no child, because a live run has its id
   * @throws RequestRefusedException if the server refuses to start it, such as for a type that
   *     nobody has ever registered
   */
  O run();

  /**
   * Starts the child beside the workflow's own code. Wait for it as for every branch; one that is
   * cancelled because of another branch is not waited for any more, and its run goes on until this
   * one ends.
   */
  ChildFuture<O> start();
}
