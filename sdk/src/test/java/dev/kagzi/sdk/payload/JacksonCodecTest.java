package dev.kagzi.sdk.payload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.kagzi.core.Payload;
import dev.kagzi.sdk.NonRetryableException;
import dev.kagzi.sdk.TypeRef;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class JacksonCodecTest {

  record Everything(
      String text, int number, Instant at, Duration time, Optional<String> maybe, List<Long> all) {}

  record Item(int id) {}

  @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
  sealed interface Shape {
    record Circle(int radius) implements Shape {}

    record Square(int side) implements Shape {}
  }

  private final JacksonCodec codec = new JacksonCodec();

  @Test
  void readsWhatItHasWritten() {
    var value =
        new Everything(
            "ä", 1, Instant.EPOCH, Duration.ofSeconds(90), Optional.of("x"), List.of(1L));

    Payload payload = codec.encode(value, Everything.class);

    assertThat(codec.decode(payload, Everything.class)).isEqualTo(value);
    assertThat(payload.metadata()).containsExactly(Map.entry("content-type", "application/json"));
  }

  @Test
  void writesByTheDeclaredTypeSoThatSubtypesComeBack() {
    List<Shape> shapes = List.of(new Shape.Circle(1), new Shape.Square(2));
    var type = TypeRef.listOf(Shape.class).type();

    assertThat(codec.decode(codec.encode(shapes, type), type)).isEqualTo(shapes);
  }

  @Test
  void ignoresPropertiesThatAreGone() {
    Payload old = json("{\"id\":3,\"colour\":\"red\"}");

    assertThat(codec.decode(old, Item.class)).isEqualTo(new Item(3));
  }

  @Test
  void readsJsonThatNobodyLabelled() {
    assertThat(codec.decode(json("[1]"), TypeRef.listOf(Long.class).type())).isEqualTo(List.of(1L));
  }

  @Test
  void saysWhatDoesNotRead() {
    assertThatThrownBy(() -> codec.decode(json("\"text\""), Integer.class))
        .isInstanceOf(PayloadException.class)
        .isInstanceOf(NonRetryableException.class)
        .hasMessageContaining("does not read as java.lang.Integer");
  }

  @Test
  void refusesOtherFormsThanJson() {
    var avro = new Payload(new byte[] {1}, Map.of("content-type", "avro/binary"));

    assertThatThrownBy(() -> codec.decode(avro, Integer.class))
        .hasMessageContaining("avro/binary (expected: application/json)");
  }

  private static Payload json(String text) {
    return new Payload(text.getBytes(StandardCharsets.UTF_8), Map.of());
  }
}
