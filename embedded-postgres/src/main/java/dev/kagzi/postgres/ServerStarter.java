package dev.kagzi.postgres;

import dev.kagzi.postgres.PostgresStartException.Reason;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Starts the server of a prepared folder and waits until it accepts connections. */
record ServerStarter(
    ClusterFolder folder,
    Installation installation,
    Launcher launcher,
    Map<String, String> settings) {
  /** Logging in takes no password, so nobody beyond this machine may reach it. */
  static final String ADDRESS = "127.0.0.1";

  private static final int FREE_PORT_ATTEMPTS = 5;
  private static final int READY_SECONDS = 120;
  private static final int PREDECESSOR_SECONDS = 10;
  private static final int RETRY_MILLIS = 50;

  ServerStarter {
    settings = Map.copyOf(settings);
  }

  /** Tries again where trying again helps: a free port was snatched, old backends still leave. */
  ServerProcess start(int port) {
    var deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PREDECESSOR_SECONDS);
    for (var attempt = 1; ; attempt++) {
      var candidate = port == 0 ? freePort() : port;
      try {
        return startOnce(candidate);
      } catch (PostgresStartException e) {
        var snatched = e.reason() == Reason.PORT_IN_USE && port == 0;
        var leaving = e.reason() == Reason.DATA_IN_USE && System.nanoTime() < deadline;
        if (!leaving && !(snatched && attempt < FREE_PORT_ATTEMPTS)) {
          throw e;
        }
      }
      pause();
    }
  }

  private ServerProcess startOnce(int candidate) {
    try {
      var serverLog = new ServerLog(folder.logFile());
      var started = ServerProcess.start(launcher, command(candidate), candidate, serverLog);
      if (isReady(started)) {
        return started;
      }
      throw Diagnosis.ofOutput("PostgreSQL", folder.root(), candidate, serverLog.tail());
    } catch (IOException e) {
      throw new PostgresStartException(Reason.START_FAILED, String.valueOf(e.getMessage()), e);
    }
  }

  private boolean isReady(ServerProcess started) {
    var ready = false;
    try {
      ready = started.log().awaitReady(READY_SECONDS);
      return ready;
    } catch (TimeoutException e) {
      throw notReadyInTime(e);
    } catch (InterruptedException e) {
      throw interrupted(e);
    } finally {
      if (!ready) {
        started.kill();
      }
    }
  }

  private PostgresStartException notReadyInTime(TimeoutException e) {
    return new PostgresStartException(
        Reason.START_FAILED,
        "PostgreSQL was not ready after %d s and was stopped; see %s."
            .formatted(READY_SECONDS, folder.logFile()),
        e);
  }

  private List<String> command(int candidate) {
    var command = new ArrayList<String>();
    command.addAll(List.of(installation.program("postgres"), "-D", folder.cluster().toString()));
    effectiveSettings(candidate)
        .forEach((name, value) -> command.addAll(List.of("-c", name + "=" + value)));
    return command;
  }

  private Map<String, String> effectiveSettings(int candidate) {
    var effective = new LinkedHashMap<String, String>();
    effective.put("fsync", "on");
    effective.put("synchronous_commit", "on");
    effective.put("max_connections", "100");
    effective.put("shared_buffers", "128MB");
    effective.putAll(settings);
    // Not for callers to change: nobody else may log in, and we must hear when it is ready.
    effective.put("port", Integer.toString(candidate));
    effective.put("listen_addresses", ADDRESS);
    effective.put("unix_socket_directories", "");
    effective.put("logging_collector", "off");
    effective.put("log_destination", "stderr");
    return effective;
  }

  private static int freePort() {
    try (var socket = new ServerSocket(0, 1, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}))) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new PostgresStartException(
          Reason.START_FAILED, "No free port on " + ADDRESS + ": " + e.getMessage(), e);
    }
  }

  private static void pause() {
    try {
      Thread.sleep(RETRY_MILLIS);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  private static PostgresStartException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new PostgresStartException(
        Reason.START_FAILED, "Interrupted while PostgreSQL was starting.", e);
  }
}
