package dev.kagzi.e2e.killmatrix;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kagzi.e2e.cli.Command;
import dev.kagzi.faults.FaultyDataSource.Moment;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A server process of its own, and its end is the process's. */
final class HaltingVictim implements Victim {

  private static final int HALTED = 137;

  private final Process process;
  private final Path errors;
  private final BufferedReader output;
  private final @Nullable ManagedChannel channel;

  private HaltingVictim(Process process, Path errors) throws IOException {
    this.process = process;
    this.errors = errors;
    this.output = process.inputReader(UTF_8);
    String port = output.readLine();
    this.channel =
        port == null
            ? null
            : Grpc.newChannelBuilder("127.0.0.1:" + port, InsecureChannelCredentials.create())
                .build();
  }

  /** Makes victims that have their temporary files in a folder. */
  static Maker in(Path folder) {
    return (jdbcUrl, statement, moment, armed) -> start(folder, jdbcUrl, statement, moment, armed);
  }

  private static Victim start(
      Path folder, String jdbcUrl, List<String> statement, Moment moment, boolean armed) {
    List<String> line = Command.java(folder, HaltingServer.class.getName());
    line.addAll(List.of(jdbcUrl, moment.name(), Boolean.toString(armed)));
    line.addAll(statement);
    try {
      Path errors = Files.createTempFile(folder, "victim", ".err");
      Process process =
          new ProcessBuilder(line)
              .directory(folder.toFile())
              .redirectError(errors.toFile())
              .start();
      return new HaltingVictim(process, errors);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  @Override
  public Peer peer() {
    return new Peer(Objects.requireNonNull(channel, "it died before it served"));
  }

  @Override
  public void arm() {
    try {
      var orders = process.outputWriter(UTF_8);
      orders.write("arm\n");
      orders.flush();
      var unused = Objects.requireNonNull(output.readLine(), "it died before it was armed");
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  @Override
  public boolean awaitDeath(Duration limit) throws InterruptedException {
    if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
      return false;
    }
    if (process.exitValue() != HALTED) {
      throw new IllegalStateException(
          "it ended with code %d and said: %s".formatted(process.exitValue(), complaints()));
    }
    return true;
  }

  private String complaints() {
    try {
      return Files.readString(errors, UTF_8);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  @Override
  public void close() {
    if (channel != null) {
      channel.shutdownNow();
    }
    process.destroyForcibly();
    process.onExit().join();
  }
}
