package dev.kagzi.sdk.replay;

import dev.kagzi.sdk.Workflow;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.internal.HistoryReplay;
import dev.kagzi.sdk.internal.RegisteredWorkflow;
import dev.kagzi.sdk.payload.JacksonCodec;
import dev.kagzi.sdk.payload.PayloadCodec;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Replays exported histories against a workflow, to find out before a deploy whether runs that are
 * alive could go on with it. There is no server, and no step is executed: the code gets the
 * recorded results, as it does in a worker after a crash, and the first thing in which it differs
 * is named.
 *
 * <pre>{@code
 * String history = Files.readString(Path.of("order-42.json")); // of handle.exportHistory()
 * WorkflowReplayer.of(OrderWorkflow.TYPE, new OrderWorkflow(payments)).check(history);
 * }</pre>
 *
 * <p>The history of a run that has not ended is replayed as far as it goes. Immutable and
 * thread-safe.
 */
public final class WorkflowReplayer {

  private final RegisteredWorkflow workflow;
  private final PayloadCodec codec;

  private WorkflowReplayer(RegisteredWorkflow workflow, PayloadCodec codec) {
    this.workflow = workflow;
    this.codec = codec;
  }

  /** A replayer for histories of this type, of whatever version. */
  public static <I extends @Nullable Object, O extends @Nullable Object> WorkflowReplayer of(
      WorkflowType<I, O> type, Workflow<I, O> workflow) {
    return new WorkflowReplayer(
        new RegisteredWorkflow(
            type.name(), "", workflow, type.input().type(), type.output().type()),
        new JacksonCodec());
  }

  /**
   * A replayer for histories of this type, of whatever version. Input and output are read from the
   * class of the workflow.
   *
   * @throws IllegalArgumentException if the workflow is a lambda, whose types nobody can know
   */
  public static WorkflowReplayer of(String type, Workflow<?, ?> workflow) {
    return new WorkflowReplayer(RegisteredWorkflow.of(type, "", workflow), new JacksonCodec());
  }

  /** The same with the codec that the workers use. */
  public WorkflowReplayer codec(PayloadCodec codec) {
    return new WorkflowReplayer(workflow, codec);
  }

  /**
   * Replays a history.
   *
   * @param history what {@code WorkflowHandle.exportHistory} returned
   * @return what came of it
   * @throws IllegalArgumentException if the text is no history, or one of another type
   */
  public Replay replay(String history) {
    Optional<HistoryReplay.Finding> finding = HistoryReplay.replay(history, workflow, codec);
    return new Replay(finding.map(WorkflowReplayer::divergence));
  }

  private static Divergence divergence(HistoryReplay.Finding finding) {
    return new Divergence(
        Divergence.Kind.valueOf(finding.kind().name()),
        Optional.ofNullable(finding.step()),
        finding.message());
  }

  /**
   * Replays a history that has to match.
   *
   * @param history what {@code WorkflowHandle.exportHistory} returned
   * @throws DivergedException if it does not match; the message names the first difference
   * @throws IllegalArgumentException if the text is no history, or one of another type
   */
  public void check(String history) {
    replay(history)
        .divergence()
        .ifPresent(divergence -> {
          throw new DivergedException(workflow.type(), divergence);
        });
  }
}
