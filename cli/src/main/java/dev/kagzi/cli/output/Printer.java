package dev.kagzi.cli.output;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import dev.kagzi.cli.shell.Session;
import java.util.function.Supplier;

/** Prints answers in the form that was asked for. */
public final class Printer {
  private final Session session;
  private final Format format;
  private final Supplier<Look> look;

  Printer(Session session, Format format, Supplier<Look> look) {
    this.session = session;
    this.format = format;
    this.look = look;
  }

  public void print(Answer answer) {
    session.out().print(shown(answer));
    session.out().flush();
  }

  /** What {@link #print} would print. */
  public String shown(Answer answer) {
    return switch (format) {
      case TABLE -> answer.text().apply(look.get());
      case JSON -> json(answer.message()) + "\n";
      case JSONL -> lines(answer.rows().stream().map(Printer::jsonLine).toList());
      case IDS -> lines(answer.ids());
      case NONE -> "";
    };
  }

  private static String lines(Iterable<String> lines) {
    var text = new StringBuilder();
    lines.forEach(line -> text.append(line).append('\n'));
    return text.toString();
  }

  /** A message as the server's own JSON interface writes it. */
  public static String json(Message message) {
    return write(JsonFormat.printer(), message);
  }

  private static String jsonLine(Message message) {
    return write(JsonFormat.printer().omittingInsignificantWhitespace(), message);
  }

  private static String write(JsonFormat.Printer printer, Message message) {
    try {
      return printer.print(message);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("A message holds a type that is not known here", e);
    }
  }
}
