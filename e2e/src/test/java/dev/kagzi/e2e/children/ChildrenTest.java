package dev.kagzi.e2e.children;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.e2e.suite.Deployment;
import dev.kagzi.e2e.suite.DurabilitySuite;
import dev.kagzi.sdk.ChildFailedException;
import dev.kagzi.sdk.ChildFuture;
import dev.kagzi.sdk.ErrorKind;
import dev.kagzi.sdk.NonRetryableException;
import dev.kagzi.sdk.Outcome;
import dev.kagzi.sdk.ParentClosePolicy;
import dev.kagzi.sdk.RequestRefusedException;
import dev.kagzi.sdk.Retry;
import dev.kagzi.sdk.RunStatus;
import dev.kagzi.sdk.StepFailedException;
import dev.kagzi.sdk.StepView;
import dev.kagzi.sdk.Workflow;
import dev.kagzi.sdk.WorkflowFailedEvent;
import dev.kagzi.sdk.WorkflowFailedException;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.client.WorkflowHandle;
import dev.kagzi.sdk.worker.Worker;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(Deployment.class)
class ChildrenTest extends DurabilitySuite {

  private final WorkflowType<String, String> parent = freshType();
  private final WorkflowType<String, String> child = freshType();

  ChildrenTest(Deployment deployment) {
    super(deployment);
  }

  @Test
  void aParentGetsTheResultOfItsChildAndHoldsNoWorkerMeanwhile() throws Exception {
    var asked = new CountDownLatch(1);
    var go = new CountDownLatch(1);
    var passes = new AtomicInteger();
    Worker parents =
        serve(
            parent,
            (ctx, in) -> {
              passes.incrementAndGet();
              return "parent of " + ctx.child(child).queue(queue() + "-2").input(in).run();
            });
    begin(
        Worker.builder(home().address(), queue() + "-2")
            .register(
                child,
                (ctx, in) -> {
                  asked.countDown();
                  await(go, "the parent sleeps");
                  return "child " + in;
                }));
    WorkflowHandle<String> handle = start(parent, "x");
    await(asked, "the child runs");
    awaitStatus(handle, RunStatus.SLEEPING);
    awaitIdle(parents);
    go.countDown();

    assertThat(resultOf(handle)).isEqualTo("parent of child x");
    assertThat(passes).hasValue(2);
  }

  @Test
  void startedChildrenGoOnBesideEachOtherAndBesideSteps() {
    begin(
        worker()
            .register(child, (ctx, in) -> in + "!")
            .register(
                parent,
                (ctx, in) -> {
                  List<ChildFuture<String>> started =
                      IntStream.range(0, 5)
                          .mapToObj(i -> ctx.child(child).input(in + i).start())
                          .toList();
                  started.forEach(future -> assertThat(future.runId()).isNotEmpty());
                  var step = ctx.step("beside").async(String.class, () -> "beside");
                  return String.join(" ", ctx.<String>all(started)) + " " + step.get();
                }));

    assertThat(resultOf(start(parent, "c"))).isEqualTo("c0! c1! c2! c3! c4! beside");
  }

  @Test
  void aChildThatFailsIsAnExceptionWithItsRunOnTheFirstPassAndOnReplay() {
    Queue<String> seen = new ConcurrentLinkedQueue<>();
    begin(
        worker()
            .register(
                child,
                (ctx, in) -> {
                  throw new NonRetryableException("no stock");
                })
            .register(
                parent,
                (ctx, in) -> {
                  try {
                    return ctx.child(child).run();
                  } catch (ChildFailedException failed) {
                    seen.add(failed.childRunId() + " " + failed.getMessage());
                    assertThat(failed.is(NonRetryableException.class)).isTrue();
                    ctx.sleep("replay", "300ms");
                    return "survived";
                  }
                }));

    assertThat(resultOf(start(parent, ""))).isEqualTo("survived");
    assertThat(seen).hasSize(2);
    assertThat(seen.stream().distinct()).hasSize(1);
    assertThat(seen.peek()).contains("no stock");
  }

  @Test
  void aChildThatIsCancelledOrRunsOutOfTimeIsAFailureOfThatKind() {
    var held = new CountDownLatch(1);
    begin(
        worker()
            .register(
                child,
                (ctx, in) -> {
                  ctx.sleep("long", "1h");
                  return "";
                })
            .register(
                parent,
                (ctx, in) -> {
                  var slow = ctx.child(child).name("slow").timeout("200ms").start();
                  var doomed = ctx.child(child).name("doomed").start();
                  client.handle(doomed.runId()).cancel("not wanted");
                  held.countDown();
                  StringBuilder kinds = new StringBuilder();
                  for (Outcome<String> outcome : ctx.<String>settle(List.of(slow, doomed))) {
                    if (outcome instanceof Outcome.Failed<String> failed) {
                      kinds.append(failed.error().kind()).append(' ');
                    }
                  }
                  return kinds.toString().trim();
                }));

    assertThat(resultOf(start(parent, "")))
        .isEqualTo(ErrorKind.TIMEOUT + " " + ErrorKind.CANCELLED);
  }

  @Test
  void aParentThatEndsTakesItsChildrenAlongExceptThoseItAbandons() {
    Queue<String> ids = new ConcurrentLinkedQueue<>();
    var both = new CountDownLatch(2);
    begin(
        worker()
            .register(
                child,
                (ctx, in) -> {
                  both.countDown();
                  ctx.sleep("long", "1h");
                  return "";
                })
            .register(
                parent,
                (ctx, in) -> {
                  var taken = ctx.child(child).start();
                  var left = ctx.child(child).parentClosePolicy(ParentClosePolicy.ABANDON).start();
                  if (ids.isEmpty()) {
                    ids.addAll(List.of(taken.runId(), left.runId()));
                  }
                  ctx.all(taken, left);
                  return "";
                }));
    WorkflowHandle<String> handle = start(parent, "");
    awaitStatus(handle, RunStatus.SLEEPING);
    var taken = client.handle(ids.remove());
    var left = client.handle(ids.remove());
    handle.cancel("enough");

    awaitStatus(taken, RunStatus.CANCELLED);
    assertThat(left.status()).isIn(RunStatus.SLEEPING, RunStatus.PENDING, RunStatus.RUNNING);
    left.cancel();
  }

  @Test
  void aParentWhoseWorkerIsLostBetweenStartAndWaitFindsItsChildAgain() throws Exception {
    Queue<String> ids = new ConcurrentLinkedQueue<>();
    var executions = new AtomicInteger();
    var started = new CountDownLatch(1);
    var never = new CountDownLatch(1);
    begin(
        Worker.builder(home().address(), queue() + "-2")
            .register(
                child,
                (ctx, in) -> {
                  executions.incrementAndGet();
                  return "once";
                }));
    Worker first =
        serve(
            parent,
            (ctx, in) -> {
              var future = ctx.child(child).queue(queue() + "-2").start();
              ids.add(future.runId());
              started.countDown();
              ctx.step("hang", () -> never.await());
              return future.get();
            });
    WorkflowHandle<String> handle = start(parent, "");
    await(started, "the child is started");
    first.stop();
    serve(
        parent,
        (ctx, in) -> {
          var future = ctx.child(child).queue(queue() + "-2").start();
          ids.add(future.runId());
          ctx.step("hang", () -> {});
          return future.get();
        });

    assertThat(resultOf(handle)).isEqualTo("once");
    assertThat(executions).hasValue(1);
    assertThat(ids.stream().distinct()).hasSize(1);
    never.countDown();
  }

  @Test
  void childrenHaveChildren() {
    WorkflowType<Integer, Integer> depth =
        WorkflowType.of(freshName("depth"), Integer.class, Integer.class);
    serve(depth, (ctx, in) -> in == 0 ? 0 : 1 + ctx.child(depth).input(in - 1).run());

    assertThat(resultOf(start(depth, 5))).isEqualTo(5);
  }

  @Test
  void anIdOfALiveRunIsAFailureOfTheStep() {
    String id = freshName("id");
    begin(
        worker()
            .register(
                child,
                (ctx, in) -> {
                  ctx.sleep("long", "1h");
                  return "";
                })
            .register(
                parent,
                (ctx, in) -> {
                  try {
                    return ctx.child(child).id(id).run();
                  } catch (StepFailedException failed) {
                    return failed.errorType() + " " + failed.errorMessage();
                  }
                }));
    WorkflowHandle<String> holder = client.start(child).queue(queue()).input("").id(id).send();

    assertThat(resultOf(start(parent, ""))).startsWith("ALREADY_ACTIVE").contains(holder.runId());
    holder.cancel();
  }

  @Test
  void aTypeThatNobodyHasRegisteredIsRefusedWithTheKnownOnes() {
    serve(parent, (ctx, in) -> ctx.child(freshType()).run());

    WorkflowFailedException failure = failureOf(start(parent, ""));

    assertThat(failure.errorType()).isEqualTo(RequestRefusedException.class.getName());
    assertThat(failure.errorMessage()).contains("no worker has ever registered", "known:");
  }

  @Test
  void aRetriedParentStartsAnewTheChildThatFailed() {
    var tries = new AtomicInteger();
    begin(
        worker()
            .register(
                child,
                (ctx, in) -> {
                  if (tries.incrementAndGet() == 1) {
                    throw new NonRetryableException("first");
                  }
                  return "second";
                })
            .register(parent, (ctx, in) -> ctx.child(child).run()));
    WorkflowHandle<String> handle = start(parent, "");
    assertThat(failureOf(handle).failedStep()).contains("child:" + child.name());
    handle.retry();

    assertThat(resultOf(handle)).isEqualTo("second");
  }

  @Test
  void aChildFollowsWhatItsParentSaysAboutFailure() throws Exception {
    WorkflowType<WorkflowFailedEvent, String> handler =
        WorkflowType.of(freshName("handler"), WorkflowFailedEvent.class, String.class);
    BlockingQueue<String> told = new LinkedBlockingQueue<>();
    Workflow<WorkflowFailedEvent, String> tell =
        (ctx, event) -> {
          told.add(ctx.runId() + " " + event.failedRunId() + " " + event.error().kind());
          return "";
        };
    begin(Worker.builder(home().address(), queue() + "-2").register(handler, tell));
    begin(
        worker()
            .register(
                child,
                (ctx, in) -> {
                  ctx.step("hang", () -> new CountDownLatch(1).await());
                  return "";
                })
            .register(
                parent,
                (ctx, in) -> {
                  try {
                    return ctx.child(child)
                        .retry(Retry.fixed(2, "5ms"))
                        .stepTimeout("200ms")
                        .lease("20s")
                        .onFailure(handler.name(), queue() + "-2")
                        .run();
                  } catch (ChildFailedException failed) {
                    return failed.childRunId();
                  }
                }));

    String failed = resultOf(start(parent, ""));
    String heard = told.poll(LIMIT.toSeconds(), TimeUnit.SECONDS);

    assertThat(heard).isNotNull().endsWith(failed + " " + ErrorKind.TIMEOUT);
    StepView hung = client.handle(failed).steps().all().getFirst();
    assertThat(hung.key()).isEqualTo("hang");
    assertThat(hung.kind()).isEqualTo(StepView.Kind.FUNCTION);
    assertThat(hung.status()).isEqualTo(StepView.Status.FAILED);
    assertThat(hung.attempt()).isEqualTo(2);
    assertThat(hung.isSettled()).isTrue();
    assertThat(hung.errorMessage().orElseThrow()).contains("timed out");
  }

  @Test
  void aFailureHandlerOfAChildRunsOnItsQueueUnlessAnotherIsNamed() throws Exception {
    WorkflowType<WorkflowFailedEvent, String> handler =
        WorkflowType.of(freshName("handler"), WorkflowFailedEvent.class, String.class);
    BlockingQueue<String> told = new LinkedBlockingQueue<>();
    begin(
        Worker.builder(home().address(), queue() + "-2")
            .register(
                child,
                (ctx, in) -> {
                  throw new NonRetryableException("no stock");
                })
            .register(
                handler,
                (ctx, event) -> {
                  told.add(event.taskQueue() + " " + event.error().message());
                  return "";
                }));
    serve(
        parent,
        (ctx, in) -> ctx.child(child).queue(queue() + "-2").onFailure(handler.name()).run());

    WorkflowHandle<String> handle = start(parent, "");

    assertThat(failureOf(handle).errorMessage()).contains("no stock");
    assertThat(told.poll(LIMIT.toSeconds(), TimeUnit.SECONDS)).isEqualTo(queue() + "-2 no stock");
    StepView step = handle.steps().all().getFirst();
    assertThat(step.kind()).isEqualTo(StepView.Kind.CHILD_WORKFLOW);
    assertThat(client.handle(step.childRunId().orElseThrow()).status()).isEqualTo(RunStatus.FAILED);
  }

  @Test
  void aLimitThatMakesNoSenseIsAnErrorInTheParent() {
    serve(parent, (ctx, in) -> ctx.child(child).stepTimeout("0s").run());

    assertThat(failureOf(start(parent, "")).errorMessage())
        .isEqualTo("stepTimeout: PT0S (expected: > 0)");
  }
}
