package dev.kagzi.postgres;

import dev.kagzi.postgres.PostgresStartException.Reason;
import java.nio.file.Files;
import java.nio.file.Path;

/** Unpacked binaries that run on this machine. */
record Installation(Path home, String version) {

  static Installation of(Path home, Launcher launcher) {
    var answer = ShortProcess.run(launcher, program(home, "postgres"), "--version");
    if (answer.exitCode() != 0) {
      throw new PostgresStartException(
          Reason.START_FAILED,
          ("The PostgreSQL binaries in %s do not run here: %s%nIf programs may not be run from that"
                  + " folder, choose another by KAGZI_CACHE_DIR.")
              .formatted(home, answer.output().strip()));
    }
    // For example: postgres (PostgreSQL) 18.6
    var words = answer.output().strip();
    return new Installation(home, words.substring(words.lastIndexOf(' ') + 1));
  }

  String majorVersion() {
    var dot = version.indexOf('.');
    return dot < 0 ? version : version.substring(0, dot);
  }

  String program(String name) {
    return program(home, name);
  }

  private static String program(Path home, String name) {
    var plain = home.resolve("bin").resolve(name);
    return (Files.exists(plain) ? plain : plain.resolveSibling(name + ".exe")).toString();
  }
}
