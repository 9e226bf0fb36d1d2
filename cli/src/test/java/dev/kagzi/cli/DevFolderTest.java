package dev.kagzi.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DevFolderTest {
  @TempDir Path home;
  private DevFolder folder = new DevFolder(Path.of(""));

  @BeforeEach
  void makeFolder() throws IOException {
    folder = new DevFolder(home.resolve(".kagzi/pg"));
    folder.create();
    Files.createDirectories(folder.path().resolve("data/base"));
    Files.writeString(folder.path().resolve("data/PG_VERSION"), "18\n");
    Files.writeString(folder.path().resolve("postgres.log"), "");
  }

  @Test
  void staysOutOfTheUsersRepository() {
    assertThat(home.resolve(".kagzi/.gitignore")).hasContent("*");
  }

  @Test
  void deletesWhatPostgresLeft() {
    folder.delete();

    assertThat(folder.path()).isDirectoryNotContaining(file -> !file.endsWith("lock"));
  }

  @Test
  void deletesNothingThatIsNotOurs() throws IOException {
    Files.writeString(folder.path().resolve("thesis.txt"), "years of work");

    assertThatThrownBy(folder::delete).hasMessageContaining("not Kagzi's");

    assertThat(folder.path().resolve("thesis.txt")).exists();
    assertThat(folder.path().resolve("data/PG_VERSION")).exists();
  }

  @Test
  void hasNothingToDeleteAtFirst() {
    var missing = new DevFolder(home.resolve("nowhere"));

    missing.delete();

    assertThat(missing.path()).doesNotExist();
  }
}
