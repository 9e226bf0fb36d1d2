package dev.kagzi.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.cli.command.Asked;
import dev.kagzi.cli.shell.Lifetime;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.cli.shell.Streams;
import dev.kagzi.cli.shell.Terminal;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Map;

/** A command that ran in this JVM, and what it printed. */
public record Recorded(int code, String out, String err) {

  public static Recorded run(Path folder, Map<String, String> environment, String... arguments) {
    return run(folder, environment, "", Terminal.NONE, arguments);
  }

  /** What a command printed that did what it was asked to; fails if it did not. */
  public String done() {
    assertThat(code).as(err).isZero();
    return out;
  }

  /** A command that reads something, perhaps from a person. */
  public static Recorded run(
      Path folder,
      Map<String, String> environment,
      String typed,
      Terminal terminal,
      String... arguments) {
    var out = new ByteArrayOutputStream();
    var err = new ByteArrayOutputStream();
    var in = new ByteArrayInputStream(typed.getBytes(UTF_8));
    var streams = new Streams(in, stream(out), stream(err), terminal);
    var session = new Session(environment, folder, streams, new Lifetime());
    var code =
        KagziCommand.commandLine(session, Asked.by(arguments))
            .setOut(new PrintWriter(session.out(), true, UTF_8))
            .setErr(new PrintWriter(session.err(), true, UTF_8))
            .execute(arguments);
    session.lifetime().release();
    return new Recorded(code, out.toString(UTF_8), err.toString(UTF_8));
  }

  private static PrintStream stream(ByteArrayOutputStream bytes) {
    return new PrintStream(bytes, true, UTF_8);
  }
}
