package dev.kagzi.sdk.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kagzi.core.Payload;
import dev.kagzi.sdk.TypeRef;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ValuesTest {

  @Test
  void readsAddresses() {
    assertThat(targets("localhost:50051")).containsExactly("localhost:50051");
    assertThat(targets("a, b:2")).containsExactly("a:50051", "b:2");
    assertThat(targets("http://localhost:50051,http://b"))
        .containsExactly("localhost:50051", "b:50051");
    assertThat(targets("[::1]")).containsExactly("[::1]:50051");
    assertThat(targets("inprocess:x")).containsExactly("inprocess:x");
    assertThatThrownBy(() -> targets("")).hasMessageContaining("expected something like");
  }

  private static List<String> targets(String text) {
    return ServerAddress.parse(text, "test").targets();
  }

  @Test
  void keepsDurationsOfBothSigns() {
    for (long millis : List.of(0L, 1L, 1500L, -1L, -1500L, -2000L)) {
      Duration duration = Duration.ofMillis(millis);
      var wire = WireTimes.fromDuration(duration);

      assertThat(WireTimes.toDuration(wire)).isEqualTo(duration);
      assertThat(Long.signum(wire.getSeconds()) * Integer.signum(wire.getNanos())).isNotNegative();
    }
  }

  @Test
  void sendsJsonAsTextAndTheRestAsBytes() {
    byte[] bytes = "{}".getBytes(StandardCharsets.UTF_8);
    var json = new Payload(bytes, Map.of("content-type", "application/json"));
    var other = new Payload(bytes, Map.of("content-type", "text/x"));

    assertThat(WirePayloads.toWire(json).getJson()).isEqualTo("{}");
    assertThat(WirePayloads.toWire(other).getData().toStringUtf8()).isEqualTo("{}");
    assertThat(WirePayloads.fromWire(WirePayloads.toWire(json))).isEqualTo(json);
    assertThat(WirePayloads.fromWire(WirePayloads.toWire(other))).isEqualTo(other);
  }

  @Test
  void growsPausesUpToALimit() {
    var backoff = new Backoff();
    assertThat(backoff.next()).isBetween(Duration.ofMillis(25), Duration.ofMillis(50));
    for (int i = 0; i < 100; i++) {
      assertThat(backoff.next()).isLessThanOrEqualTo(Duration.ofSeconds(5));
    }
    assertThat(backoff.next()).isGreaterThanOrEqualTo(Duration.ofMillis(2500));

    backoff.reset();

    assertThat(backoff.next()).isLessThanOrEqualTo(Duration.ofMillis(50));
  }

  @Test
  void comparesTypeTokensByWhatTheyStandFor() {
    assertThat(new TypeRef<List<String>>() {}.toString())
        .isEqualTo(TypeRef.listOf(String.class).toString());
    assertThat(TypeRef.mapOf(String.class, Integer.class))
        .isEqualTo(TypeRef.mapOf(String.class, Integer.class))
        .hasToString("java.util.Map<java.lang.String, java.lang.Integer>");
    assertThat(TypeRef.of(String.class).type()).isEqualTo(String.class);
  }
}
