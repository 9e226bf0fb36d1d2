package dev.kagzi.server.grpc;

import dev.kagzi.engine.domain.StartRequest;
import dev.kagzi.engine.operation.Messages;
import dev.kagzi.engine.operation.Workflows;
import dev.kagzi.v1.StartWorkflowRequest;
import dev.kagzi.v1.StartWorkflowResponse;

/** Starts, however they arrive. Thread-safe. */
final class StartCalls {

  private final Messages messages;
  private final Workflows workflows;

  StartCalls(Messages messages, Workflows workflows) {
    this.messages = messages;
    this.workflows = workflows;
  }

  /** Blocks until the commit. */
  StartWorkflowResponse start(StartWorkflowRequest request) {
    StartRequest start = StartMapper.fromWire(request);
    return StartMapper.toWire(messages.start(start), start.input());
  }

  /** Whether a start is one commit at most, so that its reply can be given by it. */
  static boolean isAnsweredByCommit(StartWorkflowRequest request) {
    return !request.hasFirstEvent();
  }

  /** Has such a start carried out, without waiting for the commit. */
  void start(StartWorkflowRequest request, CommitReply<StartWorkflowResponse> reply) {
    StartRequest start = StartMapper.fromWire(request);
    workflows.start(
        start, reply.mapping(heard -> StartMapper.toWire(heard.outcome(), start.input())));
  }
}
