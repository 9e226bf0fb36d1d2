package dev.kagzi.bench.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

class ReplyTest {

  @Test
  void aLineSaysWhatWasMeasured() {
    var reply = Reply.measured(Map.of("seconds", 1.5));

    assertThat(reply.line()).isEqualTo("bench ok seconds=1.5");
    assertThat(Reply.parse(reply.line())).contains(reply);
  }

  @Test
  void aLineSaysWhatWentWrongWithoutMoreLines() {
    var reply = Reply.failed("no server answers\n\tat somewhere");

    assertThat(reply.line()).isEqualTo("bench failed no server answers");
    assertThat(Reply.parse(reply.line())).contains(reply);
  }

  @Test
  void linesOfOthersAreNoReplies() {
    assertThat(Reply.parse("SLF4J: something")).isEmpty();
    assertThat(Reply.parse("bench press")).isEmpty();
  }

  @Test
  void aMissingFigureIsABug() {
    assertThatThrownBy(() -> Reply.measured(Map.of()).figure("seconds"))
        .hasMessageContaining("seconds");
  }
}
