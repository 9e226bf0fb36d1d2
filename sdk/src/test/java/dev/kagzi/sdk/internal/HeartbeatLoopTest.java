package dev.kagzi.sdk.internal;

import static dev.kagzi.sdk.fake.Waiting.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.sdk.Workflow;
import dev.kagzi.sdk.fake.Refusals;
import dev.kagzi.sdk.worker.Worker;
import dev.kagzi.v1.CompleteStepRequest;
import dev.kagzi.v1.CompleteWorkflowRequest;
import dev.kagzi.v1.FailStepRequest;
import dev.kagzi.v1.FailWorkflowRequest;
import dev.kagzi.v1.HeartbeatRequest;
import dev.kagzi.v1.RunStop;
import dev.kagzi.v1.StopReason;
import io.grpc.Status;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HeartbeatLoopTest {

  private static final Duration INTERVAL = Duration.ofMillis(20);

  /** Long enough for a busy machine not to lose it by accident. */
  private static final Duration LEASE = Duration.ofSeconds(1);

  private static final Duration SHORT_LEASE = Duration.ofMillis(200);

  /** What a server says that knows nothing of a run's own lease; no test lasts so long. */
  private static final Duration SELDOM = Duration.ofMinutes(5);

  private static final int BEATS_IN_TWO_LEASES = 6;

  private final RunFixture fixture = new RunFixture();
  private final CountDownLatch began = new CountDownLatch(1);
  private final CountDownLatch release = new CountDownLatch(1);
  private final CountDownLatch interrupted = new CountDownLatch(1);
  private final AtomicInteger later = new AtomicInteger();

  /** Hangs in its first step until it is let go or interrupted. */
  private final Workflow<String, String> hanging =
      (ctx, in) -> {
        ctx.step(
            "hang",
            () -> {
              began.countDown();
              try {
                release.await();
              } catch (InterruptedException e) {
                interrupted.countDown();
                throw e;
              }
            });
        ctx.step("later", later::incrementAndGet);
        return in;
      };

  @BeforeEach
  void beatQuickly() {
    fixture.server.workers().terms(INTERVAL, LEASE);
  }

  @AfterEach
  void tearDown() {
    fixture.close();
  }

  @Test
  void namesExactlyTheRunsItHolds() throws InterruptedException {
    String runId = fixture.start();
    fixture.serve(hanging);
    began.await();
    until(() -> lastBeat().getRunsCount() == 1);
    assertThat(lastBeat().getRuns(0).getRunId()).isEqualTo(runId);
    assertThat(lastBeat().getRuns(0).getLeaseEpoch()).isEqualTo(1);

    release.countDown();
    fixture.awaitFinished(runId);

    until(() -> lastBeat().getRunsCount() == 0);
  }

  @Test
  void stopsARunThatTheServerSaysIsLost() throws InterruptedException {
    String runId = fixture.start();
    fixture.serve(hanging);
    began.await();

    fixture.server.runs().takeAway(runId);

    interrupted.await();
    until(() -> fixture.activeRuns() == 0);
    assertNothingWasReported();
  }

  @Test
  void stopsARunThatTheServerCancels() throws InterruptedException {
    String runId = fixture.start();
    fixture.serve(hanging);
    began.await();

    var stop =
        RunStop.newBuilder()
            .setRunId(runId)
            .setLeaseEpoch(1)
            .setReason(StopReason.STOP_REASON_CANCELLED)
            .build();
    fixture.server.workers().tell(stop);

    interrupted.await();
    until(() -> fixture.activeRuns() == 0);
    assertNothingWasReported();
  }

  @Test
  void givesUpALostRunAlsoWhenItsThreadLingers() throws InterruptedException {
    String runId = fixture.start();
    fixture.serve((ctx, in) -> {
      began.countDown();
      awaitWhateverHappens(release);
      return in;
    });
    began.await();
    until(() -> lastBeat().getRunsCount() == 1);

    fixture.server.runs().takeAway(runId);

    until(() -> lastBeat().getRunsCount() == 0);
    assertThat(fixture.activeRuns()).isEqualTo(1);
    release.countDown();
    until(() -> fixture.activeRuns() == 0);
    assertNothingWasReported();
  }

  private static void awaitWhateverHappens(CountDownLatch latch) {
    while (latch.getCount() > 0) {
      try {
        latch.await();
      } catch (InterruptedException ignored) {
        // What a stubborn workflow does.
      }
    }
  }

  @Test
  void stopsItsRunsWhenNoBeatIsAcceptedInTime() throws InterruptedException {
    fixture.server.workers().terms(INTERVAL, SHORT_LEASE);
    fixture.server.faults().unavailable("Heartbeat");
    fixture.start();
    fixture.serve(hanging);
    began.await();

    interrupted.await();
    until(() -> fixture.activeRuns() == 0);
    assertNothingWasReported();
  }

  @Test
  void keepsARunThatIsHeldLongerThanALease() throws InterruptedException {
    String runId = fixture.start();
    fixture.serve(hanging);
    began.await();
    var moreThanALease = Deadline.after(LEASE.plus(INTERVAL));
    until(moreThanALease::hasPassed);

    release.countDown();
    fixture.awaitFinished(runId);

    assertThat(later).hasValue(1);
  }

  @Test
  void beatsOftenEnoughForTheShortestLeaseItHolds() throws InterruptedException {
    fixture.server.workers().terms(SELDOM, SELDOM.multipliedBy(3));
    String runId = fixture.start();
    fixture.server.runs().ownLease(runId, LEASE);
    fixture.serve(hanging);
    began.await();
    until(() -> received(HeartbeatRequest.class).size() >= BEATS_IN_TWO_LEASES);

    release.countDown();
    fixture.awaitFinished(runId);

    assertThat(later).hasValue(1);
  }

  @Test
  void beatsAsToldAgainWhenTheShortLeaseIsGone() throws InterruptedException {
    fixture.server.workers().terms(SELDOM, SELDOM.multipliedBy(3));
    String shortLived = fixture.start();
    fixture.server.runs().ownLease(shortLived, LEASE);
    fixture.serve(hanging);
    began.await();
    until(() -> lastBeat().getRunsCount() == 1);

    release.countDown();
    fixture.awaitFinished(shortLived);

    until(() -> fixture.activeRuns() == 0);
    int beats = received(HeartbeatRequest.class).size();
    var moreThanALease = Deadline.after(LEASE.plus(INTERVAL));
    until(moreThanALease::hasPassed);
    // One may have been under way.
    assertThat(received(HeartbeatRequest.class)).hasSizeLessThanOrEqualTo(beats + 1);
  }

  @Test
  void stopsOnlyTheRunsWhoseOwnLeaseIsInDoubt() throws InterruptedException {
    fixture.server.workers().terms(SELDOM, SELDOM.multipliedBy(3));
    fixture.server.faults().unavailable("Heartbeat");
    String inDoubt = fixture.start();
    fixture.server.runs().ownLease(inDoubt, SHORT_LEASE);
    var both = new CountDownLatch(2);
    var stopped = new ConcurrentLinkedQueue<String>();
    String trusted = fixture.start();
    fixture.serve((ctx, in) -> {
      ctx.step(
          "hang",
          () -> {
            both.countDown();
            try {
              release.await();
            } catch (InterruptedException e) {
              stopped.add(ctx.runId());
              interrupted.countDown();
              throw e;
            }
          });
      return in;
    });
    both.await();

    interrupted.await();
    until(() -> fixture.activeRuns() == 1);
    release.countDown();
    fixture.awaitFinished(trusted);

    assertThat(stopped).containsExactly(inDoubt);
  }

  @Test
  void repeatsABeatWithItsNumberAndCountersUntilItIsAccepted() {
    fixture.server.faults().unavailable("Heartbeat");
    fixture.run((ctx, in) -> in);
    until(() -> lastBeat().getBeatId() == 1 && received(HeartbeatRequest.class).size() > 1);
    fixture.server.faults().heal("Heartbeat");
    until(() -> lastBeat().getBeatId() > 4);

    Map<Long, Set<Long>> deltas =
        received(HeartbeatRequest.class).stream()
            .collect(
                Collectors.groupingBy(
                    HeartbeatRequest::getBeatId,
                    TreeMap::new,
                    Collectors.mapping(HeartbeatRequest::getCompletedDelta, Collectors.toSet())));
    assertThat(deltas.values()).allSatisfy(ofOneBeat -> assertThat(ofOneBeat).hasSize(1));
    assertThat(deltas.values().stream().flatMap(Set::stream).filter(delta -> delta != 0))
        .containsExactly(1L);
  }

  @Test
  void registersAnewWhenTheServerHasForgottenIt() {
    fixture.serve(hanging);
    until(() -> !received(HeartbeatRequest.class).isEmpty());

    fixture.server.workers().forgetWorkers();
    until(() -> lastBeat().getWorkerId().equals("worker-2"));

    assertThat(fixture.server.workers().workers()).containsExactly("worker-2");
    until(() ->
        fixture.server.workers().frames().stream()
            .anyMatch(frame -> frame.getHello().getWorkerId().equals("worker-2")));
  }

  @Test
  void leavesAlsoUnderTheIdThatItIsJustBeingGiven() throws InterruptedException {
    Worker worker = fixture.serve(hanging);
    until(() -> !received(HeartbeatRequest.class).isEmpty());
    CountDownLatch mayReply = fixture.server.faults().holdReplyOnce("Register");
    fixture.server.workers().forgetWorkers();
    until(() -> fixture.server.workers().workers().contains("worker-2"));

    Thread stopping = Thread.ofPlatform().start(worker::stop);
    until(() -> stopping.getState() == Thread.State.TIMED_WAITING);
    mayReply.countDown();
    stopping.join();

    assertThat(fixture.server.workers().workers()).isEmpty();
  }

  @Test
  void goesOnWithItsRunsUnderANewId() throws InterruptedException {
    String runId = fixture.start();
    fixture.serve(hanging);
    began.await();

    fixture.server.workers().forgetWorkers();
    until(() -> lastBeat().getWorkerId().equals("worker-2"));
    release.countDown();
    fixture.awaitFinished(runId);

    assertThat(received(CompleteStepRequest.class).getLast().getWorkerId()).isEqualTo("worker-2");
  }

  @Test
  void survivesRefusals() {
    fixture.server.faults().refuseOnce("Heartbeat", Refusals.refusal(Status.Code.INTERNAL, "BUG"));
    fixture.serve(hanging);

    until(() -> received(HeartbeatRequest.class).size() > 2);
  }

  private void assertNothingWasReported() {
    assertThat(later).hasValue(0);
    assertThat(received(FailStepRequest.class)).isEmpty();
    assertThat(received(CompleteStepRequest.class)).isEmpty();
    assertThat(received(FailWorkflowRequest.class)).isEmpty();
    assertThat(received(CompleteWorkflowRequest.class)).isEmpty();
  }

  private HeartbeatRequest lastBeat() {
    List<HeartbeatRequest> beats = received(HeartbeatRequest.class);
    return beats.isEmpty() ? HeartbeatRequest.getDefaultInstance() : beats.getLast();
  }

  private <Q> List<Q> received(Class<Q> type) {
    return fixture.server.calls().received(type);
  }
}
