package dev.kagzi.cli;

import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * One JSON object per log line: {@code ts level logger msg}, what the MDC holds under its own
 * names, and a {@code throwable}. People build dashboards on these names; they are stable.
 */
final class JsonLines extends JsonEncoder {

  JsonLines() {
    setWithSequenceNumber(false);
    setWithTimestamp(false);
    setWithNanoseconds(false);
    setWithThreadName(false);
    setWithLoggerName(false);
    setWithContext(false);
    setWithMarkers(false);
    setWithMDC(false);
    setWithKVPList(false);
    setWithMessage(false);
    setWithArguments(false);
  }

  @Override
  protected void appendCustomFields(StringBuilder line, ILoggingEvent event) {
    append(line, "ts", time(event));
    append(line, "logger", event.getLoggerName());
    append(line, "msg", event.getFormattedMessage());
    event.getMDCPropertyMap().forEach((name, value) -> append(line, name, value));
  }

  /** Always three digits, so that lines sort as texts. */
  private static String time(ILoggingEvent event) {
    var instant = Instant.ofEpochMilli(event.getTimeStamp());
    var text = instant.truncatedTo(ChronoUnit.SECONDS).toString();
    return text.replace("Z", ".%03dZ".formatted(instant.toEpochMilli() % 1000));
  }

  private void append(StringBuilder line, String name, String value) {
    line.append(VALUE_SEPARATOR);
    appenderMember(line, name, value);
  }
}
