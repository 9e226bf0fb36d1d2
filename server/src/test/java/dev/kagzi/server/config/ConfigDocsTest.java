package dev.kagzi.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Keeps the table of the documentation equal to the table of the keys. */
class ConfigDocsTest {
  private static final Path DOCS = Path.of("..", "docs", "configuration.md");
  private static final String BEGIN = "<!-- keys: checked by ConfigDocsTest -->\n";
  private static final String END = "<!-- end of keys -->";

  @Test
  void theDocumentationListsEveryKey() throws Exception {
    var text = Files.readString(DOCS);

    assertThat(text).contains(BEGIN, END);
    assertThat(text.substring(text.indexOf(BEGIN) + BEGIN.length(), text.indexOf(END)))
        .as("put the expected table into docs/configuration.md")
        .isEqualTo(table());
  }

  @Test
  void namesAreUniqueInEverySpelling() {
    var keys = ConfigKeys.all();

    assertThat(keys).extracting(ConfigKey::name).doesNotHaveDuplicates();
    assertThat(keys).extracting(ConfigKey::environmentName).doesNotHaveDuplicates();
    assertThat(keys).extracting(ConfigKey::flag).doesNotHaveDuplicates();
    assertThat(keys)
        .extracting(ConfigKey::environmentName)
        .doesNotContainAnyElementsOf(ConfigKeys.FOREIGN_VARIABLES);
  }

  private static String table() {
    return ConfigKeys.all().stream()
        .map(ConfigDocsTest::row)
        .collect(
            Collectors.joining(
                "\n",
                "| Key | Environment | Default | Accepts | Meaning |\n|---|---|---|---|---|\n",
                "\n"));
  }

  private static String row(ConfigKey<?> key) {
    var value = key.defaultText() == null ? "none" : "`" + key.defaultText() + "`";
    return "| `%s` | `%s` | %s | %s | %s |"
        .formatted(key.name(), key.environmentName(), value, key.expected(), key.description());
  }
}
