package dev.kagzi.server.json;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlainTextTest {

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '|',
      value = {
        "it\\u0027s,it's",
        "a \\u003e\\u003d b \\u0026 c,a >= b & c",
        "\\u003cscript\\u003e,\\u003cscript>",
        "nothing,nothing",
        "\\n\\t\\\"\\u2028,\\n\\t\\\"\\u2028",
        "a written escape: \\\\u0027,a written escape: \\\\u0027",
        "\\\\\\u0027,\\\\'"
      })
  void writesPlainlyWhatIsNoHtml(String printed, String plain) {
    assertThat(PlainText.of('"' + printed + '"')).isEqualTo('"' + plain + '"');
  }
}
