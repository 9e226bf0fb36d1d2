package dev.kagzi.postgres;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A second JVM with the class path of this one, which says {@code done ...} and then waits. */
final class ChildJvm implements AutoCloseable {
  private final Process process;
  private final BufferedReader output;

  private ChildJvm(Process process) {
    this.process = process;
    this.output = process.inputReader();
  }

  static ChildJvm start(Class<?> main, String... args) throws IOException {
    var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    var command = new ArrayList<>(List.of(java, "-XX:TieredStopAtLevel=1", "-Xshare:auto"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(Arrays.asList(args));
    var builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    return new ChildJvm(builder.start());
  }

  /** Called by the child: reports, and lives until it is killed or its parent is gone. */
  static void done(Object result) throws IOException {
    System.out.println("done " + result);
    System.in.transferTo(OutputStream.nullOutputStream());
  }

  String awaitDone() throws IOException {
    for (var line = output.readLine(); line != null; line = output.readLine()) {
      if (line.startsWith("done ")) {
        return line.substring("done ".length());
      }
    }
    throw new IOException("the child JVM ended before it was done");
  }

  long pid() {
    return process.pid();
  }

  /** Kill -9. */
  void kill() {
    process.destroyForcibly().onExit().join();
  }

  @Override
  public void close() {
    kill();
  }
}
