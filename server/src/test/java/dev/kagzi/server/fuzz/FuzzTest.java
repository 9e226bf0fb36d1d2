package dev.kagzi.server.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.server.TestServer;
import dev.kagzi.server.config.ConfigKeys;
import dev.kagzi.v1.AdminServiceGrpc;
import dev.kagzi.v1.HealthCheckRequest;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Whatever is sent to a server, it says whose fault it is, throws nothing, keeps its memory, and
 * serves everybody else as before.
 */
@Isolated
class FuzzTest {

  private static final double P99 = 0.99;
  private static final long IN_VERIFY = 10_000;
  private static final long IN_A_SOAK = Long.getLong("kagzi.fuzz.requests", 1_000_000);
  private static final int LANES = 8;
  private static final int FINDINGS = 10;
  private static final int MAX_DRIFT_MEGABYTES = 100;

  /** Given up after a moment, which on a busy machine is before they can be answered. */
  private static final Set<String> MAY_NEVER_BE_CARRIED_OUT = Set.of("PollTask", "AwaitWorkflow");

  @Test
  void tenThousandBadRequestsAreTheirSendersFault() {
    fuzz(Long.getLong("kagzi.fuzz.seed", 1), IN_VERIFY);
  }

  @Test
  @Tag("soak")
  void aMillionBadRequestsAreTheirSendersFault() {
    fuzz(Long.getLong("kagzi.fuzz.seed", System.nanoTime()), IN_A_SOAK);
  }

  private static void fuzz(long seed, long requests) {
    System.out.printf("fuzz: seed %d, %d requests%n", seed, requests);
    Queue<String> findings = new ConcurrentLinkedQueue<>();
    Answers answers = new Answers();
    try (TestServer server =
            TestServer.start(
                settings -> settings.set(ConfigKeys.POLL_TIMEOUT, Duration.ofSeconds(1)));
        LogWatch log = LogWatch.begin();
        HttpClient http = HttpClient.newHttpClient();
        Canary canary = Canary.beside(server)) {
      Targets targets = new Targets(server);
      Songs alone = canary.alone();
      canary.begin();
      Lanes lanes = new Lanes(server, targets, http, new CopyOnWriteArrayList<>(), answers);
      long begun = System.nanoTime();
      long warmUp = Math.min(requests / 2, 20_000);
      send(lanes, seed, warmUp, findings);
      long before = usedMegabytes();
      send(lanes, ~seed, requests, findings);
      long drift = usedMegabytes() - before;
      canary.end();
      print(answers, (System.nanoTime() - begun) / 1e9, drift, alone, canary.songs());
      assertThat(findings).isEmpty();
      assertThat(log.exceptions()).isEmpty();
      assertThat(drift).isLessThan(MAX_DRIFT_MEGABYTES);
      assertThatRequestsWereCarriedOut(answers, requests, targets);
      assertThatTheCanaryNoticedNothing(canary);
      assertThat(
              AdminServiceGrpc.newBlockingStub(server.channel())
                  .healthCheck(HealthCheckRequest.getDefaultInstance())
                  .getComponentsList())
          .isNotEmpty();
    }
  }

  private static void print(
      Answers answers, double seconds, long drift, Songs alone, Songs beside) {
    System.out.printf(
        "fuzz: %d answers in %.1f s, heap %+d MB; of somebody else's %d songs p99 was %d ms, the"
            + " slowest %d ms; p99 without the fuzz %d ms%n%s%ncarried out: %s%n",
        answers.count(),
        seconds,
        drift,
        beside.count(),
        beside.millis(P99),
        beside.millis(1),
        alone.millis(P99),
        answers.ways(),
        answers.carriedOut());
  }

  /** A server that refused everything would pass all that is asked of bad requests alone. */
  private static void assertThatRequestsWereCarriedOut(
      Answers answers, long requests, Targets targets) {
    assertThat(answers.count()).isGreaterThanOrEqualTo(requests);
    assertThat(answers.neverCarriedOut(targets.names()))
        .as("methods of which not one request was carried out")
        .isSubsetOf(MAY_NEVER_BE_CARRIED_OUT);
  }

  /**
   * Every song ends before its deadline. How much longer it takes than without the fuzz is shown
   * and not judged: eight who send without a pause, the server and PostgreSQL share the processors
   * with the singer, who waits for his turn however well he is served, and fifty times as long
   * where others use the machine too.
   */
  private static void assertThatTheCanaryNoticedNothing(Canary canary) {
    assertThat(canary.failures()).isEmpty();
    assertThat(canary.songs().count()).isPositive();
  }

  /** What those who send at the same time share. */
  private record Lanes(
      TestServer server, Targets targets, HttpClient http, List<String> seen, Answers answers) {}

  /** Sends until so many requests have been answered, counted from the beginning. */
  private static void send(Lanes lanes, long seed, long wanted, Queue<String> findings) {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int lane = 0; lane < LANES; lane++) {
        Fuzzer fuzzer =
            new Fuzzer(
                lanes.server(),
                lanes.targets(),
                lanes.http(),
                seed + lane,
                lanes.seen(),
                lanes.answers());
        threads.execute(() -> {
          while (lanes.answers().count() < wanted && findings.size() < FINDINGS) {
            try {
              Optional<String> finding = fuzzer.next();
              finding.ifPresent(findings::add);
            } catch (RuntimeException | AssertionError failure) {
              findings.add("the fuzzer itself failed: " + failure);
            }
          }
        });
      }
    }
  }

  private static long usedMegabytes() {
    System.gc();
    Runtime jvm = Runtime.getRuntime();
    return (jvm.totalMemory() - jvm.freeMemory()) >> 20;
  }
}
