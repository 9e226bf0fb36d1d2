package dev.kagzi.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

class JsonLinesTest {

  @Test
  void hasTheStableFieldsAndTheMdcUnderItsOwnNames() {
    var line = encode(Map.of("kagzi.run_id", "r-1"), null);

    assertThat(line.propertyNames())
        .containsExactly("ts", "level", "logger", "msg", "kagzi.run_id");
    assertThat(line.get("level").asString()).isEqualTo("INFO");
    assertThat(line.get("ts").asString()).isEqualTo("2026-01-02T03:04:05.007Z");
    assertThat(line.get("logger").asString()).isEqualTo("dev.kagzi.Test");
    assertThat(line.get("msg").asString()).isEqualTo("said \"hi\"\nto Ada");
    assertThat(line.get("kagzi.run_id").asString()).isEqualTo("r-1");
  }

  @Test
  void keepsTheStackTraceOnTheLine() {
    var line = encode(Map.of(), new IllegalStateException("odd"));

    assertThat(line.get("error").asString())
        .startsWith("java.lang.IllegalStateException: odd")
        .contains("at dev.kagzi.cli.JsonLinesTest");
  }

  private static JsonNode encode(Map<String, String> mdc, @Nullable Throwable failure) {
    var context = new LoggerContext();
    var event =
        new LoggingEvent(
            "",
            context.getLogger("dev.kagzi.Test"),
            Level.INFO,
            "said \"hi\"\nto {}",
            failure,
            new Object[] {"Ada"});
    event.setInstant(Instant.parse("2026-01-02T03:04:05.007Z"));
    event.setMDCPropertyMap(mdc);
    var encoder = new JsonLines();
    encoder.setContext(context);
    encoder.start();
    var text = new String(encoder.encode(event), UTF_8);
    assertThat(text).endsWith("}\n").hasLineCount(1);
    return new ObjectMapper().readTree(text);
  }
}
