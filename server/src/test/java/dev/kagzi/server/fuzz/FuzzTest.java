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
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Whatever is sent to a server, it says whose fault it is, throws nothing, keeps its memory, and
 * serves everybody else as before.
 */
@Isolated
class FuzzTest {

  private static final long IN_VERIFY = 10_000;
  private static final long IN_A_SOAK = Long.getLong("kagzi.fuzz.requests", 1_000_000);
  private static final int LANES = 8;
  private static final int FINDINGS = 10;
  private static final int MAX_DRIFT_MEGABYTES = 100;

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
    var answers = new ConcurrentHashMap<String, Integer>();
    long begun = System.nanoTime();
    try (TestServer server =
            TestServer.start(
                settings -> settings.set(ConfigKeys.POLL_TIMEOUT, Duration.ofSeconds(1)));
        LogWatch log = LogWatch.begin();
        HttpClient http = HttpClient.newHttpClient()) {
      Targets targets = new Targets(server);
      Canary canary = Canary.beside(server);
      List<String> seen = new CopyOnWriteArrayList<>();
      long warmUp = Math.min(requests / 2, 20_000);
      send(new Lanes(server, targets, http, seen, answers), seed, warmUp, findings);
      long before = usedMegabytes();
      send(new Lanes(server, targets, http, seen, answers), ~seed, requests - warmUp, findings);
      long drift = usedMegabytes() - before;
      canary.close();
      System.out.printf(
          "fuzz: %d answers in %.1f s, heap %+d MB, others made %d calls, the slowest three took"
              + " %.2f s%n%s%n",
          answers.values().stream().mapToLong(Integer::longValue).sum(),
          (System.nanoTime() - begun) / 1e9,
          drift,
          canary.calls(),
          canary.slowestSeconds(),
          new TreeMap<>(answers));
      assertThat(findings).isEmpty();
      assertThat(log.exceptions()).isEmpty();
      assertThat(canary.failures()).isEmpty();
      assertThat(canary.calls()).isPositive();
      assertThat(drift).isLessThan(MAX_DRIFT_MEGABYTES);
      assertThat(
              AdminServiceGrpc.newBlockingStub(server.channel())
                  .healthCheck(HealthCheckRequest.getDefaultInstance())
                  .getComponentsList())
          .isNotEmpty();
    }
  }

  /** What those who send at the same time share. */
  private record Lanes(
      TestServer server,
      Targets targets,
      HttpClient http,
      List<String> seen,
      ConcurrentHashMap<String, Integer> answers) {}

  private static void send(Lanes lanes, long seed, long requests, Queue<String> findings) {
    AtomicLong left = new AtomicLong(requests);
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
          while (left.getAndDecrement() > 0 && findings.size() < FINDINGS) {
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
