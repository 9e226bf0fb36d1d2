package dev.kagzi.server.grpc;

import dev.kagzi.v1.WorkCall;
import dev.kagzi.v1.WorkReply;
import java.util.function.BiFunction;

/** Hands a call from a stream to its function, except for polls, which wait. Thread-safe. */
final class WorkDispatch {

  private final WorkerCalls calls;

  WorkDispatch(WorkerCalls calls) {
    this.calls = calls;
  }

  /**
   * Whether the call's reply is given by its commit, so that no thread waits for it: the two that
   * workers make most.
   */
  static boolean isAnsweredByCommit(WorkCall call) {
    return call.hasCompleteStep() || call.hasCompleteWorkflow();
  }

  /** Has such a call carried out; its reply, which may be an error, goes to the writer. */
  void answer(WorkCall call, ReplyWriter writer) {
    var reply = new Pending(call.getCorrelationId(), writer);
    try {
      if (call.hasCompleteStep()) {
        calls
            .steps()
            .complete(call.getCompleteStep(), reply.as(WorkReply.Builder::setCompleteStep));
      } else {
        calls
            .runs()
            .complete(call.getCompleteWorkflow(), reply.as(WorkReply.Builder::setCompleteWorkflow));
      }
    } catch (RuntimeException refusal) {
      writer.add(reply.failed(refusal));
    }
  }

  /** A reply that somebody else will give. */
  private record Pending(long correlationId, ReplyWriter writer) {

    private ReplyWriter.Outgoing failed(Throwable failure) {
      return outgoing(reply().setError(ErrorMapper.toStatus(failure)));
    }

    private WorkReply.Builder reply() {
      return WorkReply.newBuilder().setCorrelationId(correlationId);
    }

    private static ReplyWriter.Outgoing outgoing(WorkReply.Builder reply) {
      return new ReplyWriter.Outgoing(reply.build(), () -> {});
    }

    private <T> CommitReply<T> as(BiFunction<WorkReply.Builder, T, WorkReply.Builder> setter) {
      return new CommitReply<>() {
        @Override
        public void respond(T response) {
          writer.keep(outgoing(setter.apply(reply(), response)));
        }

        @Override
        public void fail(Throwable failure) {
          writer.keep(failed(failure));
        }

        @Override
        public void send() {
          writer.sendKept();
        }
      };
    }
  }

  /** Carries the call out and returns its reply, which may be an error. Blocks. */
  WorkReply answer(WorkCall call) {
    var reply = WorkReply.newBuilder().setCorrelationId(call.getCorrelationId());
    try {
      carryOut(call, reply);
    } catch (RuntimeException failure) {
      reply.setError(ErrorMapper.toStatus(failure));
    }
    return reply.build();
  }

  private void carryOut(WorkCall call, WorkReply.Builder reply) {
    switch (call.getCallCase()) {
      case GET_HISTORY -> reply.setGetHistory(calls.runs().history(call.getGetHistory()));
      case BEGIN_STEP -> reply.setBeginStep(calls.steps().begin(call.getBeginStep()));
      case COMPLETE_STEP -> reply.setCompleteStep(calls.steps().complete(call.getCompleteStep()));
      case FAIL_STEP -> reply.setFailStep(calls.steps().fail(call.getFailStep()));
      case SLEEP -> reply.setSleep(calls.waits().sleep(call.getSleep()));
      case SUSPEND -> reply.setSuspend(calls.waits().suspend(call.getSuspend()));
      case COMPLETE_WORKFLOW ->
          reply.setCompleteWorkflow(calls.runs().complete(call.getCompleteWorkflow()));
      case FAIL_WORKFLOW -> reply.setFailWorkflow(calls.runs().fail(call.getFailWorkflow()));
      case RELEASE_TASK -> reply.setReleaseTask(calls.runs().release(call.getReleaseTask()));
      case PUBLISH_STATE -> reply.setPublishState(calls.runs().publish(call.getPublishState()));
      case START_CHILD -> reply.setStartChild(calls.children().start(call.getStartChild()));
      case ADD_CHILD_ITEMS -> reply.setAddChildItems(calls.children().add(call.getAddChildItems()));
      case LIST_CHILD_RESULTS ->
          reply.setListChildResults(calls.children().results(call.getListChildResults()));
      case POLL_TASK -> throw new IllegalStateException("polls are not answered here");
      case CALL_NOT_SET -> throw new IllegalArgumentException("a call without a request");
    }
  }
}
