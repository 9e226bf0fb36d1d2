package dev.kagzi.server;

import static dev.kagzi.server.Wire.aStart;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.protobuf.ByteString;
import dev.kagzi.postgres.EmbeddedPostgres;
import dev.kagzi.server.config.ConfigKeys;
import dev.kagzi.server.config.DatabaseUrl;
import dev.kagzi.v1.Payload;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A database whose disk is really full: small writes still find room in it, others do not. */
class FullDiskTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int BLOCK = 64 * 1024;
  private static final int PAYLOAD = 200_000;

  @TempDir Path small;
  private final HttpClient http = HttpClient.newHttpClient();
  private boolean mounted;

  @BeforeEach
  void mount() {
    mounted = succeeds("mount", "-t", "tmpfs", "-o", "size=200m", "tmpfs", small.toString());
    assumeTrue(mounted, "mounting a small disk takes root and a permission to mount");
  }

  @AfterEach
  void unmount() {
    if (mounted) {
      assertThat(succeeds("umount", "--lazy", small.toString())).isTrue();
    }
  }

  private static boolean succeeds(String... command) {
    try {
      return new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .onExit()
              .join()
              .exitValue()
          == 0;
    } catch (IOException missing) {
      return false;
    }
  }

  /** Takes all that is left. */
  private static void fill(Path file) {
    try (var out = Files.newOutputStream(file)) {
      while (true) {
        out.write(new byte[BLOCK]);
      }
    } catch (IOException full) {
      assertThat(file).isNotEmptyFile();
    }
  }

  private HttpResponse<String> readiness(TestServer server) throws Exception {
    var uri = URI.create("http://127.0.0.1:%d/readyz".formatted(server.server().httpPort()));
    return http.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
  }

  private static String verdictOfAStart(TestServer server) {
    // What can be compressed would find room for a long time.
    byte[] noise = new byte[PAYLOAD];
    new Random().nextBytes(noise);
    var input = Payload.newBuilder();
    input.setData(ByteString.copyFrom(noise));
    try {
      return server.workflows().startWorkflow(aStart().setInput(input).build()).getRunId();
    } catch (StatusRuntimeException refusal) {
      return Wire.verdict(refusal);
    }
  }

  @Test
  void isNotSentWorkUntilThereIsRoomAgain() throws Exception {
    Path filler = small.resolve("filler");
    try (var postgres = EmbeddedPostgres.builder(small.resolve("data")).start()) {
      postgres.createDatabase("kagzi");
      try (var server =
          TestServer.start(settings ->
              settings
                  .set(ConfigKeys.DATABASE_URL, DatabaseUrl.parse(postgres.jdbcUrl("kagzi")))
                  .set(ConfigKeys.NODE_BEAT_INTERVAL, Duration.ofMillis(200)))) {
        assertThat(readiness(server).statusCode()).isEqualTo(200);
        fill(filler);
        await()
            .atMost(PATIENCE)
            .until(() -> verdictOfAStart(server), "RESOURCE_EXHAUSTED DATABASE_FULL"::equals);

        HttpResponse<String> full = readiness(server);
        assertThat(full.statusCode()).isEqualTo(503);
        assertThat(full.body()).contains("disk is full").doesNotContain("does not answer");

        Files.delete(filler);
        await().atMost(PATIENCE).until(() -> readiness(server).statusCode() == 200);
        assertThat(verdictOfAStart(server)).doesNotContain(" ");
      }
    }
  }
}
