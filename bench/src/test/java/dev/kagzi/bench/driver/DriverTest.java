package dev.kagzi.bench.driver;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringReader;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class DriverTest {
  private final Counting contender = new Counting();

  /** Does nothing but count. */
  private static final class Counting implements Contender {
    private final AtomicInteger started = new AtomicInteger();
    private final AtomicInteger completed = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();
    private final AtomicInteger now = new AtomicInteger();
    private int failures;

    @Override
    public Set<Ability> abilities() {
      return EnumSet.of(Ability.AWAIT);
    }

    @Override
    public synchronized void start(int steps) {
      if (failures > 0) {
        failures--;
        throw new IllegalStateException("no");
      }
      started.incrementAndGet();
    }

    @Override
    public void awaitAll() {
      completed.set(started.get());
    }

    @Override
    public void startAndAwait(int steps) {
      most.accumulateAndGet(now.incrementAndGet(), Math::max);
      started.incrementAndGet();
      now.decrementAndGet();
    }

    @Override
    public void close() {}
  }

  private List<Reply> ask(String... commands) throws IOException {
    var out = new ByteArrayOutputStream();
    new Driver(contender, new PrintStream(out, true, UTF_8))
        .serve(new BufferedReader(new StringReader(String.join("\n", commands))));
    var replies = out.toString(UTF_8).lines().map(line -> Reply.parse(line).orElseThrow()).toList();
    return replies.subList(1, replies.size());
  }

  @Test
  void countsEveryStartAndWaitsForTheLast() throws IOException {
    var reply = ask("throughput 50 8 5 1000000").getFirst();

    assertThat(reply.figure("workflows")).isEqualTo(contender.started.get()).isPositive();
    assertThat(contender.completed).hasValue(contender.started.get());
    assertThat(reply.figure("seconds")).isGreaterThanOrEqualTo(0.05);
    assertThat(reply.figure("failed_starts")).isZero();
  }

  @Test
  void startsNoMoreThanItIsAllowedTo() throws IOException {
    var reply = ask("throughput 60000 8 5 500").getFirst();

    assertThat(reply.figure("workflows")).isEqualTo(500);
    assertThat(contender.completed).hasValue(500);
  }

  @Test
  void startsExactlyAsManyAsAskedFor() throws IOException {
    assertThat(ask("exactly 1000 8 5").getFirst().figure("workflows")).isEqualTo(1000);
    assertThat(contender.started).hasValue(1000);
  }

  @Test
  void tellsHowManyStartsHaveFailedAndCountsThemAsNothing() throws IOException {
    contender.failures = 3;

    var reply = ask("exactly 100 4 5").getFirst();

    assertThat(reply.figure("failed_starts")).isEqualTo(3);
    assertThat(reply.figure("workflows")).isEqualTo(97);
  }

  @Test
  void givesUpWhenNothingButFailuresCome() throws IOException {
    contender.failures = Integer.MAX_VALUE;

    var reply = ask("throughput 60000 4 5 1000000").getFirst();

    assertThat(reply.ok()).isFalse();
    assertThat(reply.message()).contains("throughput 60000 4 5 1000000", "no");
  }

  @Test
  void oneCallerAtATimeMeansOne() throws IOException {
    var reply = ask("latency 20 1").getFirst();

    assertThat(contender.most).hasValue(1);
    assertThat(reply.figure("p50_ms")).isLessThanOrEqualTo(reply.figure("p99_ms"));
    assertThat(reply.figure("p99_ms")).isLessThanOrEqualTo(reply.figure("max_ms"));
  }

  @Test
  void saysWhatItsContenderCanDo() throws IOException {
    assertThat(ask("abilities").getFirst().figures()).containsOnlyKeys("AWAIT");
  }

  @Test
  void goesOnAfterACommandThatFailed() throws IOException {
    var replies = ask("fan-out-steps 10", "nonsense", "abilities");

    assertThat(replies).extracting(Reply::ok).containsExactly(false, false, true);
    assertThat(replies.get(0).message()).contains("parallel steps");
    assertThat(replies.get(1).message()).contains("unknown command 'nonsense'");
  }
}
