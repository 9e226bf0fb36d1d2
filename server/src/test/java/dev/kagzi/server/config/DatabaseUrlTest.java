package dev.kagzi.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DatabaseUrlTest {

  @Test
  void readsTheLibpqForm() {
    var url = DatabaseUrl.parse("postgres://kagzi:s3cret@db.example:6432/runs?sslmode=require");

    assertThat(url.jdbcUrl()).isEqualTo("jdbc:postgresql://db.example:6432/runs?sslmode=require");
    assertThat(url.user()).isEqualTo("kagzi");
    assertThat(url.password()).isEqualTo("s3cret");
  }

  @Test
  void readsTheJdbcForm() {
    var url =
        DatabaseUrl.parse(
            "jdbc:postgresql://db:5432/runs"
                + "?user=kagzi&ssl=true&password=s3+cret%26&tcpKeepAlive=true");

    assertThat(url.jdbcUrl())
        .isEqualTo("jdbc:postgresql://db:5432/runs?ssl=true&tcpKeepAlive=true");
    assertThat(url.user()).isEqualTo("kagzi");
    assertThat(url.password()).isEqualTo("s3 cret&");
  }

  @ParameterizedTest
  @CsvSource({
    "postgresql://h/db, jdbc:postgresql://h/db",
    "'postgres://h1:1,h2:2/db', 'jdbc:postgresql://h1:1,h2:2/db'",
    "postgres://[::1]:5433/db, jdbc:postgresql://[::1]:5433/db",
    "postgres://under_score/db, jdbc:postgresql://under_score/db",
    "postgres://h, jdbc:postgresql://h/",
    "postgres:///db, jdbc:postgresql://localhost/db",
    "postgres:///?host=h&port=5433&dbname=db, jdbc:postgresql://h:5433/db",
    "postgres://h/my%20db, jdbc:postgresql://h/my%20db",
    "postgres://h/a%2Fb, jdbc:postgresql://h/a%2Fb",
    "postgres://h/a/b, jdbc:postgresql://h/a%2Fb",
    "jdbc:postgresql:db, jdbc:postgresql://localhost/db",
    "jdbc:postgresql:/, jdbc:postgresql://localhost/",
    "jdbc:postgresql://:5433/db, jdbc:postgresql://localhost:5433/db",
    "jdbc:postgresql://u:p@h/db, jdbc:postgresql://h/db",
  })
  void understandsEveryUsualSpelling(String text, String jdbcUrl) {
    assertThat(DatabaseUrl.parse(text).jdbcUrl()).isEqualTo(jdbcUrl);
  }

  @Test
  void decodesEscapedCredentials() {
    var url = DatabaseUrl.parse("postgres://me%40corp:p%40ss%2F+%25@h/db");

    assertThat(url.user()).isEqualTo("me@corp");
    assertThat(url.password()).isEqualTo("p@ss/+%");
  }

  @Test
  void translatesLibpqParametersForTheDriver() {
    var url =
        DatabaseUrl.parse(
            "postgres://h/db?application_name=a&connect_timeout=3&keepalives=0"
                + "&target_session_attrs=read-write&options=-c%20work_mem%3D1MB"
                + "&prepareThreshold=1");

    assertThat(url.parameters())
        .isEqualTo(
            Map.of(
                "ApplicationName", "a",
                "connectTimeout", "3",
                "tcpKeepAlive", "false",
                "targetServerType", "primary",
                "options", "-c work_mem=1MB",
                "prepareThreshold", "1"));
    assertThat(url.jdbcUrl()).contains("options=-c%20work_mem%3D1MB");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "mysql://h/db",
        "postgres:h/db",
        "kagzi:s3cret@h/db",
        "host=h password=s3cret",
        "postgres://u:s3cret@h:port/db",
        "postgres://u:s3cret@h:0/db",
        "postgres://u:s3cret@h:65536/db",
        "postgres://u:s3cret@a b/db",
        "postgres://u:s3cret?@h/db",
        "postgres://u:s3cret/@h/db",
        "postgres://u:s3cret%@h/db",
        "postgres://u:s3cret@h/db?sslmode",
        "postgres://u:s3cret@h/db?sslcrl=x",
        "postgres://u:s3cret@h/db?target_session_attrs=x",
        "postgres:///db?host=/var/run/postgresql",
        "postgres://%2Fvar%2Frun/db",
      })
  void refusesWhatItCannotUseWithoutRepeatingIt(String text) {
    assertThatThrownBy(() -> DatabaseUrl.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .message()
        .isNotBlank()
        .doesNotContain("s3cret");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "postgres://kagzi:s3cret@h/db?sslmode=require",
        "postgres://h/db?user=kagzi&password=s3cret",
        "postgres://h/db?sslpassword=s3cret&sslmode=require",
        "jdbc:postgresql://h/db?password=s3cret",
        "jdbc:postgresql://kagzi:s3cret@h/db",
        "postgres://:s3cret@h/db",
      })
  void neverShowsAPassword(String text) {
    var url = DatabaseUrl.parse(text);

    assertThat(url.toString()).contains("***").doesNotContain("s3cret");
    assertThat("" + url.withCredentials("other", "s3cret2")).doesNotContain("s3cret");
  }

  @ParameterizedTest
  @CsvSource({
    "postgres://u:s3cret@h/db, postgres://u:***@h/db",
    "postgres://u:s3/cr@et@h/db, postgres://u:***@h/db",
    "postgres://me@corp:s3cret@h/db, postgres://me@corp:***@h/db",
    "jdbc:postgresql://u:s3cret@h/db, jdbc:postgresql://u:***@h/db",
    "u:s3cret@h/db, u:***@h/db",
    "postgres://h/db?password=s3cret&x=y, postgres://h/db?password=***",
    "host=h PASSWORD = s3cret, host=h PASSWORD =***",
    "postgres://u@h:5432/db, postgres://u@h:5432/db",
    "postgres://h:5432/db, postgres://h:5432/db",
  })
  void masksPasswordsInAnyText(String text, String masked) {
    assertThat(DatabaseUrl.mask(text)).isEqualTo(masked);
  }

  @Test
  void itsTextFormReadsBack() {
    var text = "postgres://me%40corp@h1:1,h2/my%20db?sslmode=require&options=-c%20a%3D1";

    assertThat(DatabaseUrl.parse(text)).hasToString(text);
    assertThat(DatabaseUrl.parse(DatabaseUrl.parse(text).toString()))
        .isEqualTo(DatabaseUrl.parse(text));
  }
}
