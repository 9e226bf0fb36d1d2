package dev.kagzi.cli.top;

import dev.kagzi.cli.client.ClientOptions;
import dev.kagzi.cli.client.Server;
import dev.kagzi.cli.output.OutputOptions;
import dev.kagzi.cli.shell.CommandFailedException;
import dev.kagzi.cli.shell.ExitCode;
import dev.kagzi.cli.shell.Progress;
import dev.kagzi.cli.shell.Session;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Draws what a server does, every second. */
@Command(
    name = "top",
    description = "Shows queues, workers and failures, every second anew; q ends it.",
    footer = "Example: kagzi top -n orders")
public final class TopCommand implements Callable<Integer> {
  private static final long EVERY_MILLIS = 1000;

  /** Another screen than the one with the person's commands, and no cursor on it. */
  private static final String ENTER = "\u001b[?1049h\u001b[?25l";

  private static final String LEAVE = "\u001b[?25h\u001b[?1049l";
  private static final String LAST_LINE = "q ends it";
  private static final String HOME = "\u001b[H";
  private static final String CLEAR_REST_OF_LINE = "\u001b[K";
  private static final String CLEAR_BELOW = "\u001b[J";

  private final Session session;

  @Mixin
  @SuppressWarnings("NullAway.Init") // picocli sets it before anything is called
  private ClientOptions client;

  @Mixin
  @SuppressWarnings("NullAway.Init") // picocli sets it before anything is called
  private OutputOptions output;

  public TopCommand(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() throws InterruptedException {
    if (!output.isForPeople()) {
      throw CommandFailedException.usage(
          "-o: top is for people; kagzi queue list, worker list and wf list print JSON");
    }
    var server = client.open(session);
    var first = frame(server);
    if (!session.terminal().out()) {
      session.out().print(first);
      return ExitCode.OK.number();
    }
    var keys = session.lifetime().hold(Keys.of(session));
    session.lifetime().hold(() -> show(LEAVE));
    // The screen is drawn as a whole, and no call that takes long may write on it.
    session.lifetime().hold(new Progress(session));
    show(ENTER);
    draw(first, "");
    var last = first;
    while (!keys.awaitQuit(EVERY_MILLIS) && !session.lifetime().isEnding()) {
      last = drawAnew(server, last);
    }
    return ExitCode.OK.number();
  }

  /** A server that is away may come back; until then its last frame stands. */
  private String drawAnew(Server server, String last) {
    try {
      var frame = frame(server);
      draw(frame, "");
      return frame;
    } catch (CommandFailedException failure) {
      var why = String.valueOf(failure.getMessage()).lines().findFirst().orElse("");
      draw(last, "as it was last seen; " + why);
      return last;
    }
  }

  private String frame(Server server) {
    return Frame.of(
        Scene.of(server),
        server.settings().address().value(),
        server.namespace(),
        output.look(session));
  }

  /** Line by line over what is there, because a screen that is cleared first flickers. */
  private void draw(String frame, String notice) {
    var screen = Screen.of(session);
    var last = notice.isEmpty() ? LAST_LINE : screen.fit(notice, 0) + "\n" + LAST_LINE;
    var lines = screen.fit(frame, 1 + (int) last.lines().count()) + "\n\n";
    show(
        HOME
            + (lines + painted(last)).replace("\n", CLEAR_REST_OF_LINE + "\n")
            + CLEAR_REST_OF_LINE
            + CLEAR_BELOW);
  }

  private String painted(String lines) {
    var notice = lines.substring(0, lines.length() - LAST_LINE.length());
    return output.look(session).paint().bad(notice) + LAST_LINE;
  }

  private void show(String text) {
    session.out().print(text);
    session.out().flush();
  }
}
