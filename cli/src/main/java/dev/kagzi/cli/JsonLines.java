package dev.kagzi.cli;

import static ch.qos.logback.core.encoder.JsonEscapeUtil.jsonEscapeString;
import static java.nio.charset.StandardCharsets.UTF_8;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.encoder.EncoderBase;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * One JSON object per log line: {@code ts level logger msg}, what the MDC holds under its own
 * names, and the stack trace as {@code error}. People build dashboards on these names; they are
 * stable. Logback's own encoder has other names, which cannot be changed.
 */
final class JsonLines extends EncoderBase<ILoggingEvent> {
  /** Always three digits, so that lines sort as texts. */
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  @Override
  public byte[] encode(ILoggingEvent event) {
    return fields(event).entrySet().stream()
        .map(field -> quoted(field.getKey()) + ":" + quoted(field.getValue()))
        .collect(Collectors.joining(",", "{", "}\n"))
        .getBytes(UTF_8);
  }

  private static Map<String, String> fields(ILoggingEvent event) {
    var fields = new LinkedHashMap<String, String>();
    fields.put("ts", TIME.format(Instant.ofEpochMilli(event.getTimeStamp())));
    fields.put("level", event.getLevel().toString());
    fields.put("logger", event.getLoggerName());
    fields.put("msg", event.getFormattedMessage());
    fields.putAll(event.getMDCPropertyMap());
    if (event.getThrowableProxy() != null) {
      fields.put("error", ThrowableProxyUtil.asString(event.getThrowableProxy()));
    }
    return fields;
  }

  private static String quoted(String text) {
    return "\"" + jsonEscapeString(text) + "\"";
  }

  @Override
  public byte[] headerBytes() {
    return new byte[0];
  }

  @Override
  public byte[] footerBytes() {
    return new byte[0];
  }
}
