package dev.kagzi.sdk;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A step that is being described; it begins with one of the {@code run} or {@code async} methods.
 * Belongs to the workflow's own thread and is not thread-safe.
 */
public interface StepBuilder {

  /**
   * Tells this step from others of the same name by a value of its own, such as an item's id: the
   * step is then known as {@code name[key]}, whatever the order in which the items come.
   *
   * @throws IllegalArgumentException if the key is empty or contains {@code #}, {@code [} or {@code
   *     ]}
   */
  StepBuilder key(String key);

  /**
   * How often and how patiently the step is tried again; what it leaves open, and all of it unless
   * said otherwise, is taken from the run's, the worker's and the server's policy in this order.
   */
  StepBuilder retry(Retry retry);

  /**
   * How long one attempt may take, such as {@code 30s}.
   *
   * @see #timeout(Duration)
   */
  StepBuilder timeout(String timeout);

  /**
   * How long one attempt may take; else what the run says, else what the server says, which is ten
   * minutes. When the time is over the attempt has failed with {@link ErrorKind#TIMEOUT}: its
   * thread is interrupted, and whatever it still returns is dropped.
   *
   * @throws IllegalArgumentException if the time is zero or negative
   */
  StepBuilder timeout(Duration timeout);

  /**
   * Records that the step begins before it does, and never begins it again when its worker is lost
   * meanwhile: then the step fails with {@link StepInterruptedException}. For what must not happen
   * twice, where a person is asked instead. A step that throws is not tried again either, unless it
   * has a {@linkplain #retry policy of its own}.
   */
  StepBuilder atMostOnce();

  /** Marks the step as of little interest to whoever reads the history of the run. */
  StepBuilder quiet();

  /**
   * Executes the step, or returns its recorded result.
   *
   * @throws StepFailedException if the step has failed for good
   */
  <T extends @Nullable Object> T run(Class<T> type, StepFn<? extends T> fn);

  /**
   * Executes the step, or returns its recorded result; for generic types.
   *
   * @throws StepFailedException if the step has failed for good
   */
  <T extends @Nullable Object> T run(TypeRef<T> type, StepFn<? extends T> fn);

  /**
   * Executes the step, unless it is recorded as completed.
   *
   * @throws StepFailedException if the step has failed for good
   */
  void run(StepAction action);

  /**
   * Begins the step beside the workflow's own code, or finds its recorded result. It is numbered
   * now, in call order, whenever it ends.
   */
  <T extends @Nullable Object> StepFuture<T> async(Class<T> type, StepFn<? extends T> fn);

  /** Begins the step beside the workflow's own code; for generic types. */
  <T extends @Nullable Object> StepFuture<T> async(TypeRef<T> type, StepFn<? extends T> fn);

  /** Begins a step without a result beside the workflow's own code. */
  StepFuture<@Nullable Void> async(StepAction action);
}
