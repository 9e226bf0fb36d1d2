package dev.kagzi.server.grpc;

import dev.kagzi.v1.WorkCall;
import dev.kagzi.v1.WorkReply;
import dev.kagzi.v1.WorkResponse;

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

  /**
   * Has such a call carried out; its reply, which may be an error, goes to the writer.
   *
   * @param mayWait whether the calling thread may wait for the commit
   */
  void answer(WorkCall call, ReplyWriter<WorkReply, WorkResponse> writer, boolean mayWait) {
    long id = call.getCorrelationId();
    try {
      if (call.hasCompleteStep()) {
        calls
            .steps()
            .complete(
                call.getCompleteStep(),
                writer.byCommit(
                    id, mayWait, response -> reply(id).setCompleteStep(response).build()));
      } else {
        calls
            .runs()
            .complete(
                call.getCompleteWorkflow(),
                writer.byCommit(
                    id, mayWait, response -> reply(id).setCompleteWorkflow(response).build()));
      }
    } catch (RuntimeException refusal) {
      writer.refuse(id, refusal);
    }
  }

  private static WorkReply.Builder reply(long correlationId) {
    return WorkReply.newBuilder().setCorrelationId(correlationId);
  }

  /** Carries the call out and returns its reply, which may be an error. Blocks. */
  WorkReply answer(WorkCall call) {
    var reply = reply(call.getCorrelationId());
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
