package dev.kagzi.sdk.internal;

import dev.kagzi.core.Payload;
import dev.kagzi.sdk.ContinueOptions;
import dev.kagzi.sdk.NonRetryableException;
import dev.kagzi.sdk.WorkflowFailedEvent;
import dev.kagzi.sdk.WorkflowSuspended;
import dev.kagzi.sdk.payload.JacksonCodec;
import dev.kagzi.sdk.payload.PayloadCodec;
import dev.kagzi.sdk.payload.PayloadException;
import dev.kagzi.v1.ContinueAsNew;
import dev.kagzi.v1.Divergence;
import dev.kagzi.v1.FailStepRequest;
import dev.kagzi.v1.ReleaseReason;
import dev.kagzi.v1.Task;
import java.lang.reflect.Type;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Executes claimed runs, each on a thread of its own, and reports how they ended. When a run was
 * suspended or stopped the pass is believed and not what the body returned.
 *
 * <p>The thread also executes most steps. One that does not come out of a step is left behind, and
 * another begins a pass of its own over what has been recorded. Thread-safe.
 */
final class RunExecutor {

  private static final Logger LOG = LoggerFactory.getLogger(RunExecutor.class);

  private final Registrations registrations;
  private final WorkerTools tools;
  private final RunCalls calls;
  private final RunCounters counters;
  private final RunReporter reporter;

  RunExecutor(
      Registrations registrations, WorkerTools tools, RunCalls calls, RunCounters counters) {
    this.registrations = registrations;
    this.tools = tools;
    this.calls = calls;
    this.counters = counters;
    this.reporter = new RunReporter(tools.errors(), counters);
  }

  /** How the body of a workflow ended. */
  private sealed interface BodyEnd {
    String inWords();

    record Returned(Type type, @Nullable Object value) implements BodyEnd {
      @Override
      public String inWords() {
        return "returned";
      }
    }

    record Threw(Throwable error) implements BodyEnd {
      @Override
      public String inWords() {
        // Without its message, which no sanitizer has seen.
        return "ended with " + error.getClass().getName();
      }
    }
  }

  /** Begins with a run; {@code whenDone} is called when this worker is done with it. */
  void start(ClaimedRun claim, Runnable whenDone) {
    onThread(claim, whenDone, RunPass::readHistory);
  }

  private void onThread(ClaimedRun claim, Runnable whenDone, Consumer<RunPass> beginning) {
    tools
        .threads()
        .run(
            "kagzi-run-" + claim.runId(),
            () -> {
              var pass = new RunPass(claim, calls);
              pass.setHeir(lastWords -> goOn(claim, whenDone, lastWords));
              try {
                execute(pass, beginning);
              } finally {
                if (!(pass.end() instanceof PassEnd.LeftBehind)) {
                  claim.held().finish();
                  whenDone.run();
                }
              }
            });
  }

  /** Goes on with a run whose thread does not come out of a step. */
  private void goOn(
      ClaimedRun claim, Runnable whenDone, Optional<Supplier<FailStepRequest>> lastWords) {
    onThread(
        claim,
        whenDone,
        pass -> {
          lastWords.ifPresent(words -> report(pass, words.get()));
          pass.requireOpen();
          pass.readHistoryAnew();
        });
  }

  private static void report(RunPass pass, FailStepRequest failure) {
    try {
      pass.call(WorkerRpc.FAIL_STEP, failure);
    } catch (CallFailedException refusal) {
      // What is not recorded would be executed again, and again.
      throw new NonRetryableException(String.valueOf(refusal.getMessage()));
    }
  }

  /** Makes a pass on the thread that it belongs to, and reports its end. */
  void execute(RunPass pass) {
    execute(pass, RunPass::readHistory);
  }

  private void execute(RunPass pass, Consumer<RunPass> beginning) {
    ClaimedRun claim = pass.claim();
    MdcKeys.putRun(claim);
    claim.held().workOn(Thread.currentThread());
    LOG.debug("Run {} of {} begins a pass", claim.runId(), claim.type());
    try {
      report(pass, runBody(pass, beginning));
    } catch (WorkflowSuspended stopped) {
      LOG.debug("Run {}: nothing was reported: {}", claim.runId(), stopped.getMessage());
    } catch (RuntimeException | Error e) {
      // An Error of the application's own hooks too: nobody else would hear of it.
      LOG.warn("Run {}: its end could not be reported", claim.runId(), e);
    }
  }

  @SuppressWarnings("CatchingUnchecked")
  private BodyEnd runBody(RunPass pass, Consumer<RunPass> beginning) {
    Task task = pass.claim().task();
    RegisteredWorkflow workflow = registrations.find(task.getWorkflowType(), task.getVersion());
    try {
      if (workflow == null) {
        throw pass.endWith(new PassEnd.NotServed(task.getWorkflowType(), task.getVersion()));
      }
      beginning.accept(pass);
      Object input = input(task, workflow);
      return new BodyEnd.Returned(workflow.outputType(), run(workflow, pass, input));
    } catch (Throwable error) {
      return new BodyEnd.Threw(error);
    }
  }

  private @Nullable Object run(RegisteredWorkflow workflow, RunPass pass, @Nullable Object input)
      throws Exception {
    var context = new RunContext(pass, tools);
    try {
      Object output = workflow.run(context, input);
      context.awaitForgotten();
      return output;
    } finally {
      context.leave();
    }
  }

  private @Nullable Object input(Task task, RegisteredWorkflow workflow) {
    Payload payload = WirePayloads.fromWire(task.getInput());
    if (WirePayloads.isAbsent(payload)) {
      return null;
    }
    try {
      return codecFor(workflow).decode(payload, workflow.inputType());
    } catch (PayloadException e) {
      throw new PayloadException(
          "workflow '%s': the input cannot be used: %s".formatted(workflow.label(), e.getMessage()),
          e);
    }
  }

  /** What the engine has written itself is plain JSON, whatever the application's codec. */
  private PayloadCodec codecFor(RegisteredWorkflow workflow) {
    return workflow.inputType().equals(WorkflowFailedEvent.class)
        ? new JacksonCodec()
        : tools.codec();
  }

  private void report(RunPass pass, BodyEnd body) {
    PassEnd end = endOf(pass, body);
    if (end == null) {
      switch (body) {
        case BodyEnd.Returned returned -> complete(pass, returned);
        case BodyEnd.Threw threw -> reporter.failed(pass, threw.error());
      }
      return;
    }
    warnIfSwallowed(pass, end, body);
    switch (end) {
      case PassEnd.Suspended suspended -> debug(pass, suspended);
      case PassEnd.Continued continued -> goOn(pass, continued);
      case PassEnd.Stopped stopped -> debug(pass, stopped);
      case PassEnd.LeftBehind left -> debug(pass, left);
      case PassEnd.Stopping stopping -> reporter.stopped(pass, stopping.request());
      case PassEnd.Diverged diverged -> park(pass, diverged.divergence());
      case PassEnd.NotServed notServed -> handBack(pass, notServed);
    }
  }

  /** How the pass ended, looked at when the body has; {@code null} if its own end counts. */
  private static @Nullable PassEnd endOf(RunPass pass, BodyEnd body) {
    PassEnd end = pass.end();
    if (end != null) {
      return end;
    }
    String stopped = pass.claim().held().stopReason();
    if (stopped != null) {
      return new PassEnd.Stopped(stopped);
    }
    // Whoever interrupted this thread, it was not to stop the run; reporting must not suffer.
    Thread.interrupted();
    if (pass.claim().held().stopRequest() != null) {
      return null;
    }
    return pass.divergence(body.inWords()).map(PassEnd.Diverged::new).orElse(null);
  }

  private static void warnIfSwallowed(RunPass pass, PassEnd end, BodyEnd body) {
    if (body instanceof BodyEnd.Returned && pass.end() != null) {
      LOG.warn(
          "Run {}: the workflow returned a value, which is ignored; do not catch WorkflowSuspended:"
              + " {}",
          pass.claim().runId(),
          end.why());
    }
  }

  private static void debug(RunPass pass, PassEnd end) {
    LOG.debug("Run {} leaves this worker: {}", pass.claim().runId(), end.why());
  }

  private void complete(RunPass pass, BodyEnd.Returned returned) {
    var request = pass.claim().requests().completeWorkflow();
    try {
      output(returned).map(WirePayloads::toWire).ifPresent(request::setOutput);
      pass.call(WorkerRpc.COMPLETE_WORKFLOW, request.build());
    } catch (PayloadException e) {
      reporter.failed(pass, e);
      return;
    } catch (CallFailedException refusal) {
      reporter.failed(pass, new NonRetryableException(String.valueOf(refusal.getMessage())));
      return;
    }
    counters.countCompleted();
    LOG.debug("Run {} of {} completed", pass.claim().runId(), pass.claim().type());
  }

  /** Ends the run and lets its successor begin. */
  private void goOn(RunPass pass, PassEnd.Continued continued) {
    var next = ContinueAsNew.newBuilder();
    ContinueOptions options = continued.options();
    if (options.version() != null) {
      next.setVersion(options.version());
    }
    if (options.queue() != null) {
      next.setTaskQueue(options.queue());
    }
    try {
      Payload input = tools.codec().encode(continued.input(), inputType(pass, options));
      next.setInput(WirePayloads.toWire(WirePayloads.checked("the input of continueAs", input)));
      pass.call(
          WorkerRpc.COMPLETE_WORKFLOW,
          pass.claim().requests().completeWorkflow().setContinueAsNew(next).build());
    } catch (PayloadException e) {
      reporter.failed(pass, e);
      return;
    } catch (CallFailedException refusal) {
      reporter.failed(pass, new NonRetryableException(String.valueOf(refusal.getMessage())));
      return;
    }
    counters.countCompleted();
    LOG.debug("Run {} of {} goes on as another", pass.claim().runId(), pass.claim().type());
  }

  /** Another version may take something else; then what is given decides. */
  private Type inputType(RunPass pass, ContinueOptions options) {
    Task task = pass.claim().task();
    RegisteredWorkflow workflow = registrations.find(task.getWorkflowType(), task.getVersion());
    return workflow == null || options.version() != null ? Object.class : workflow.inputType();
  }

  private Optional<Payload> output(BodyEnd.Returned returned) {
    if (returned.type().equals(Void.class)) {
      return Optional.empty();
    }
    Payload bytes = tools.codec().encode(returned.value(), returned.type());
    return Optional.of(WirePayloads.checked("the workflow's result", bytes));
  }

  private static void park(RunPass pass, Divergence divergence) {
    LOG.warn(
        "Run {} of {} does not match its history and is handed back until it does: {}",
        pass.claim().runId(),
        pass.claim().type(),
        divergence.getMessage());
    pass.call(
        WorkerRpc.RELEASE_TASK,
        pass.claim()
            .requests()
            .releaseTask()
            .setReason(ReleaseReason.RELEASE_REASON_NON_DETERMINISM)
            .setDivergence(divergence)
            .build());
  }

  private static void handBack(RunPass pass, PassEnd.NotServed notServed) {
    LOG.warn("Run {} is handed back: {}", pass.claim().runId(), notServed.why());
    pass.call(
        WorkerRpc.RELEASE_TASK,
        pass.claim()
            .requests()
            .releaseTask()
            .setReason(ReleaseReason.RELEASE_REASON_UNDELIVERED)
            .build());
  }
}
