package dev.kagzi.cli.output;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Empty;
import dev.kagzi.cli.ServerAtWork;
import dev.kagzi.cli.shell.Lifetime;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.cli.shell.Streams;
import dev.kagzi.cli.shell.Terminal;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class WatchTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  private Session session(Terminal terminal) {
    var stream = new PrintStream(out, true, UTF_8);
    var streams = new Streams(InputStream.nullInputStream(), stream, stream, terminal);
    return new Session(Map.of(), Path.of(""), streams, new Lifetime());
  }

  /** Answers one, one, two, two, three, and then no more. */
  private String follow(Terminal terminal) {
    var session = session(terminal);
    var asked = new AtomicInteger();
    WatchOptions.follow(
        session,
        new OutputOptions().printer(session),
        () -> answer("" + (asked.incrementAndGet() + 1) / 2),
        answer -> asked.get() == 5,
        Duration.ofMillis(1));
    return out.toString(UTF_8);
  }

  private static Answer answer(String text) {
    return new Answer(Empty.getDefaultInstance(), List.of(), List.of(), look -> text + "\n");
  }

  @Test
  void printsOnlyWhatHasChanged() {
    assertThat(follow(Terminal.NONE)).isEqualTo("1\n\n2\n\n3\n");
  }

  @Test
  void aTerminalIsClearedForEachChange() {
    assertThat(follow(new Terminal(true, true, true)).split("\u001b\\[H", -1)).hasSize(4);
  }

  @Test
  void endsWhenItIsTold() {
    var session = session(Terminal.NONE);
    var ender = new Thread(session.lifetime()::end);

    WatchOptions.follow(
        session,
        new OutputOptions().printer(session),
        () -> {
          ender.start();
          return answer("x");
        },
        answer -> false,
        Duration.ofHours(1));
    session.lifetime().release();

    assertThat(out.toString(UTF_8)).isEqualTo("x\n");
  }

  @Test
  void endsWhenNobodyReadsAnyMore() {
    var closed =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            throw new IOException("Broken pipe");
          }
        };
    var stream = new PrintStream(closed, true, UTF_8);
    var streams = new Streams(InputStream.nullInputStream(), stream, stream, Terminal.NONE);
    var session = new Session(Map.of(), Path.of(""), streams, new Lifetime());
    var asked = new AtomicInteger();

    WatchOptions.follow(
        session,
        new OutputOptions().printer(session),
        () -> answer("" + asked.incrementAndGet()),
        answer -> asked.get() == 100,
        Duration.ofMillis(1));

    assertThat(asked).hasValue(1);
  }

  @Test
  void refusesAPauseThatIsNone() {
    var refused = ServerAtWork.shared().kagzi("ns", "list", "-w", "--every", "often");

    assertThat(refused.code()).isEqualTo(2);
    assertThat(refused.err()).contains("--every: duration: 'often'");
  }
}
