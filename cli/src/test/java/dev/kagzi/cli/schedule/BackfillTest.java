package dev.kagzi.cli.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.cli.Recorded;
import dev.kagzi.cli.Unfinished;
import dev.kagzi.cli.output.Look;
import dev.kagzi.cli.shell.Terminal;
import dev.kagzi.v1.AdminServiceGrpc.AdminServiceImplBase;
import dev.kagzi.v1.BackfillScheduleRequest;
import dev.kagzi.v1.BackfillScheduleResponse;
import dev.kagzi.v1.GetServerInfoRequest;
import dev.kagzi.v1.GetServerInfoResponse;
import dev.kagzi.v1.WorkflowScheduleServiceGrpc.WorkflowScheduleServiceImplBase;
import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code kagzi schedule backfill} on a server whose clock is behind. */
class BackfillTest {
  private static final String SCHEDULE = "0198f2c1-6f0b-7c3e-9a51-0d7c2f8e1b44";
  private static final Instant NOW = Instant.parse("2026-01-02T12:00:00Z");

  @TempDir Path folder;

  private final BlockingQueue<BackfillScheduleRequest> asked = new LinkedBlockingQueue<>();
  private final AtomicBoolean silent = new AtomicBoolean();
  private Server server;

  @BeforeEach
  void serve() throws IOException {
    server =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .addService(new Clock())
            .addService(new Schedules())
            .build()
            .start();
  }

  @AfterEach
  void stop() {
    server.shutdownNow();
  }

  private Map<String, String> environment() {
    return Map.of("KAGZI_ADDRESS", "127.0.0.1:" + server.getPort());
  }

  private static String[] words(String... flags) {
    var words = new String[flags.length + 3];
    System.arraycopy(new String[] {"schedule", "backfill", SCHEDULE}, 0, words, 0, 3);
    System.arraycopy(flags, 0, words, 3, flags.length);
    return words;
  }

  @Test
  void endsWhereTheServerSaysThatNowIs() throws InterruptedException {
    var fired = Recorded.run(folder, environment(), words("--since", "1h", "--dry-run"));

    assertThat(fired.done()).contains("would fire 0 ticks");
    var request = asked.take();
    assertThat(Look.instant(request.getTo())).isEqualTo(NOW);
    assertThat(Look.instant(request.getFrom())).isEqualTo(NOW.minus(Duration.ofHours(1)));
  }

  @Test
  void nothingIsFiredThatIsStillToCome() {
    var until = new String[] {"--since", "1h", "--until", "2026-01-02T12:00:01Z", "--yes"};

    var refused = Recorded.run(folder, environment(), words(until));

    assertThat(refused.code()).isEqualTo(2);
    assertThat(refused.err()).contains("--until: '2026-01-02T12:00:01Z' is in the future");
    assertThat(asked).isEmpty();
  }

  @Test
  void saysHowFarItIsWhenItTakesLong() {
    silent.set(true);
    try (var command =
        Unfinished.start(
            folder,
            environment(),
            InputStream.nullInputStream(),
            new Terminal(true, true, true),
            words("--since", "1h", "--yes"))) {
      command.await("counted 0 ticks of " + SCHEDULE + " so far");
    }
  }

  private static final class Clock extends AdminServiceImplBase {
    @Override
    public void getServerInfo(
        GetServerInfoRequest request, StreamObserver<GetServerInfoResponse> reply) {
      reply.onNext(GetServerInfoResponse.newBuilder().setEngineTime(Look.timestamp(NOW)).build());
      reply.onCompleted();
    }
  }

  private final class Schedules extends WorkflowScheduleServiceImplBase {
    @Override
    public void backfillSchedule(
        BackfillScheduleRequest request, StreamObserver<BackfillScheduleResponse> reply) {
      asked.add(request);
      if (!silent.get()) {
        reply.onNext(BackfillScheduleResponse.getDefaultInstance());
        reply.onCompleted();
      }
    }
  }
}
