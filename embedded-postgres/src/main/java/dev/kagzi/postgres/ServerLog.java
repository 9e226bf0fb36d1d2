package dev.kagzi.postgres;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one server process says, from its start to its end: kept in a file of bounded size, and the
 * end of it in memory, where a full disk cannot swallow it. Thread-safe.
 */
final class ServerLog {
  private static final Logger log = LoggerFactory.getLogger(ServerLog.class);

  /** A standby that is up to date says that it is read-only. */
  private static final Pattern READY =
      Pattern.compile("ready to accept (?:read-only )?connections");

  private static final int TAIL_CHARACTERS = 8_192;
  private static final long MAX_FILE_BYTES = 10 * 1024 * 1024;

  private final Path file;
  private final StringBuilder tail = new StringBuilder();
  private final CountDownLatch readyOrEnded = new CountDownLatch(1);
  private volatile boolean ready;
  private boolean fileFailed;

  ServerLog(Path file) {
    this.file = file;
  }

  /** Reads until the process ends; must never stop earlier, or the process blocks on its log. */
  void drain(InputStream output) {
    var buffer = new byte[8_192];
    try {
      for (var n = output.read(buffer); n >= 0; n = output.read(buffer)) {
        append(buffer, n);
      }
    } catch (IOException e) {
      log.debug("PostgreSQL's output ended", e);
    } finally {
      readyOrEnded.countDown();
    }
  }

  /** Whether the server reported for duty; false when it ended without doing so. */
  boolean awaitReady(int seconds) throws InterruptedException, TimeoutException {
    if (!readyOrEnded.await(seconds, TimeUnit.SECONDS)) {
      throw new TimeoutException();
    }
    return ready;
  }

  synchronized String tail() {
    return tail.toString().strip();
  }

  private synchronized void append(byte[] bytes, int length) {
    tail.append(new String(bytes, 0, length, StandardCharsets.UTF_8));
    tail.delete(0, Math.max(0, tail.length() - TAIL_CHARACTERS));
    if (!ready && READY.matcher(tail).find()) {
      ready = true;
      readyOrEnded.countDown();
    }
    write(bytes, length);
  }

  private void write(byte[] bytes, int length) {
    try (var out = open()) {
      out.write(bytes, 0, length);
      fileFailed = false;
    } catch (IOException e) {
      if (!fileFailed) {
        log.warn("Cannot write PostgreSQL's log to {}: {}", file, e.toString());
      }
      fileFailed = true;
    }
  }

  private OutputStream open() throws IOException {
    if (Files.exists(file) && Files.size(file) > MAX_FILE_BYTES) {
      var previous = file.resolveSibling(file.getFileName() + ".1");
      Files.move(file, previous, StandardCopyOption.REPLACE_EXISTING);
    }
    return Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }
}
