package dev.kagzi.server.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The database password, given directly or in a file as container platforms do. Of the two the one
 * from the stronger origin counts; both from one origin are a fault. Stateless and thread-safe.
 */
final class PasswordFile {
  private static final ConfigKey<String> DIRECT = ConfigKeys.DATABASE_PASSWORD;
  private static final ConfigKey<String> FILE = ConfigKeys.DATABASE_PASSWORD_FILE;

  private PasswordFile() {}

  /** The password in force, or null if there is none or a fault was found. */
  static @Nullable String password(Settings settings, List<Fault> faults) {
    var direct = settings.find(DIRECT);
    var file = settings.find(FILE);
    if (file == null || settings.origin(DIRECT).isStrongerThan(settings.origin(FILE))) {
      return direct;
    }
    if (direct != null && !settings.origin(FILE).isStrongerThan(settings.origin(DIRECT))) {
      faults.add(new Fault(FILE.name(), "stands beside " + DIRECT + " (expected: one of the two)"));
      return null;
    }
    return read(file, settings.origin(FILE), faults);
  }

  private static @Nullable String read(String file, Origin origin, List<Fault> faults) {
    try {
      // Editors and echo leave a line end that belongs to nobody's password.
      return Files.readString(Path.of(file)).replaceFirst("\\R\\z", "");
    } catch (IOException | InvalidPathException e) {
      faults.add(Fault.wrongValue(FILE.name(), file, origin, "a file that can be read: " + e));
      return null;
    }
  }
}
