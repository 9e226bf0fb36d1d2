package dev.kagzi.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.kagzi.postgres.PostgresStartException.Reason;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StartRefusalTest {
  @TempDir private Path folder;

  @Test
  void refusesASecondServerOnTheSameDirectory() throws Exception {
    ClusterTemplate.copyInto(folder);
    try (var first = EmbeddedPostgres.builder(folder).start()) {

      var refusal = refusalOf(EmbeddedPostgres.builder(folder));
      var again = refusalOf(EmbeddedPostgres.builder(folder));

      var pid = Long.toString(ProcessHandle.current().pid());
      assertThat(refusal.reason()).isEqualTo(Reason.DATA_IN_USE);
      assertThat(refusal).hasMessageContaining(folder.toString()).hasMessageContaining(pid);
      assertThat(again.reason()).isEqualTo(Reason.DATA_IN_USE);
      assertThat(first.isRunning()).isTrue();
    }
  }

  @Test
  void namesThePortThatIsTaken() throws Exception {
    ClusterTemplate.copyInto(folder);
    var loopback = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
    try (var taken = new ServerSocket(0, 1, loopback)) {

      var refusal = refusalOf(EmbeddedPostgres.builder(folder).port(taken.getLocalPort()));

      assertThat(refusal.reason()).isEqualTo(Reason.PORT_IN_USE);
      assertThat(refusal).hasMessageContaining("Port " + taken.getLocalPort());
    }
  }

  @Test
  void leavesTheDirectoryFreeAfterARefusal() throws Exception {
    ClusterTemplate.copyInto(folder);

    var refusal = refusalOf(EmbeddedPostgres.builder(folder).setting("no_such_setting", "1"));

    assertThat(refusal.reason()).isEqualTo(Reason.START_FAILED);
    assertThat(refusal).hasMessageContaining("unrecognized configuration parameter");
    EmbeddedPostgres.builder(folder).start().close();
  }

  @Test
  void refusesDataOfAnotherMajorVersion() throws Exception {
    Files.createDirectory(folder.resolve("data"));
    Files.writeString(folder.resolve("data").resolve("PG_VERSION"), "9\n");

    var refusal = refusalOf(EmbeddedPostgres.builder(folder));

    assertThat(refusal.reason()).isEqualTo(Reason.WRONG_VERSION);
    assertThat(refusal).hasMessageContaining("written by PostgreSQL 9, and this is PostgreSQL 1");
  }

  @Test
  void refusesAFolderWithForeignFiles() throws Exception {
    Files.createDirectory(folder.resolve("data"));
    Files.writeString(folder.resolve("data").resolve("holiday.jpg"), "");

    var refusal = refusalOf(EmbeddedPostgres.builder(folder));

    assertThat(refusal.reason()).isEqualTo(Reason.START_FAILED);
    assertThat(refusal).hasMessageContaining("PG_VERSION is missing");
    assertThat(folder.resolve("data").resolve("holiday.jpg")).exists();
  }

  @Test
  void refusesADirectoryItCannotCreate() throws Exception {
    var file = Files.createFile(folder.resolve("file"));

    var refusal = refusalOf(EmbeddedPostgres.builder(file.resolve("pg")));

    assertThat(refusal.reason()).isEqualTo(Reason.NOT_WRITABLE);
    assertThat(refusal).hasMessageContaining(file.resolve("pg").toString());
  }

  @Test
  void saysThatTheDiskIsFullAndLeavesNothingBehind() throws Exception {
    try (var disk = SmallDisk.mount(folder, 12)) {

      var refusal = refusalOf(EmbeddedPostgres.builder(disk.folder()));

      assertThat(refusal.reason()).isEqualTo(Reason.DISK_FULL);
      assertThat(refusal).hasMessageContaining(disk.folder().toString());
      assertThat(disk.folder()).isDirectoryNotContaining("glob:**/data*");
    }
  }

  @Test
  void checksWhatTheBuilderIsGiven() {
    var builder = EmbeddedPostgres.builder(folder);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder.port(70_000))
        .withMessage("port: 70000 (expected: 0 to 65535)");
    assertThatIllegalArgumentException().isThrownBy(() -> builder.setting("a b", "1"));
  }

  private static PostgresStartException refusalOf(EmbeddedPostgres.Builder builder) {
    return catchThrowableOfType(PostgresStartException.class, builder::start);
  }
}
