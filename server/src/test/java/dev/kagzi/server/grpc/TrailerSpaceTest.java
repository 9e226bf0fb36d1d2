package dev.kagzi.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.rpc.BadRequest;
import com.google.rpc.BadRequest.FieldViolation;
import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever a refusal quotes and however much is wrong, clients can receive it. */
class TrailerSpaceTest {

  /** What clients accept by default, without what else is in the headers of a call. */
  private static final int ACCEPTED = 8192 - 512;

  @ParameterizedTest
  @ValueSource(strings = {"x", " ", "%", "\u00e9", "\u8a9e", "\ud83d\ude00", "\u0000"})
  void aRefusalFitsWhateverItQuotes(String character) {
    for (int length : List.of(1, 100, 1000, 5000, 300_000)) {
      String text = character.repeat(length);
      var check = new Validation();
      for (int i = 0; i < 200; i++) {
        check.fault("names", text);
      }

      assertFits(new IllegalArgumentException(text));
      assertFits(new EngineException(ErrorCode.OVERLOADED, text, Map.of("fact", text)));
      assertFits(refusalOf(check));
    }
  }

  private static void assertFits(RuntimeException refusal) {
    com.google.rpc.Status status = ErrorMapper.toStatus(refusal);
    int details = Base64.getEncoder().encode(status.toByteArray()).length;
    assertThat(details + percentEncoded(status.getMessage())).isLessThan(ACCEPTED);
  }

  private static int percentEncoded(String words) {
    int bytes = 0;
    for (byte b : words.getBytes(StandardCharsets.UTF_8)) {
      bytes += b >= ' ' && b < '~' && b != '%' ? 1 : 3;
    }
    return bytes;
  }

  private static InvalidRequestException refusalOf(Validation check) {
    try {
      check.done();
    } catch (InvalidRequestException refusal) {
      return refusal;
    }
    throw new AssertionError("nothing was wrong");
  }

  @Test
  void theFirstFaultsAreNamedAndTheOthersCounted() throws Exception {
    var check = new Validation();
    for (int i = 0; i < 20_000; i++) {
      check.fault("names[" + i + "]", "is empty");
    }

    com.google.rpc.Status status = ErrorMapper.toStatus(refusalOf(check));

    List<FieldViolation> told =
        status.getDetails(1).unpack(BadRequest.class).getFieldViolationsList();
    int named = told.size() - 1;
    assertThat(named).isBetween(30, 100);
    assertThat(told.get(0).getField()).isEqualTo("names[0]");
    assertThat(told.get(named - 1).getField()).isEqualTo("names[" + (named - 1) + "]");
    assertThat(told.get(named).getDescription())
        .isEqualTo("has %d more faults".formatted(20_000 - named));
    assertThat(status.getMessage())
        .startsWith("names[0] is empty; names[1] is empty; ")
        .endsWith("; request has %d more faults".formatted(20_000 - named));
  }

  @Test
  void whatFitsIsLeftAsItIs() {
    assertThat(TrailerSpace.abridged("a cron expression", TrailerSpace.OF_TEXT))
        .isEqualTo("a cron expression");
    assertThat(TrailerSpace.abridged("\ud83d\ude00".repeat(1000), TrailerSpace.OF_TEXT))
        .matches("(\ud83d\ude00){50,}\\.\\.\\. \\(2000 characters\\)");
  }
}
