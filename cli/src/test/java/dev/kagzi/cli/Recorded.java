package dev.kagzi.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Map;

/** A command that ran in this JVM, and what it printed. */
record Recorded(int code, String out, String err) {

  static Recorded run(Path folder, Map<String, String> environment, String... arguments) {
    var out = new ByteArrayOutputStream();
    var err = new ByteArrayOutputStream();
    var session = new Session(environment, folder, stream(out), stream(err), new Lifetime());
    var code =
        KagziCommand.commandLine(session)
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
