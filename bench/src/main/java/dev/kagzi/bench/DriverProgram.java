package dev.kagzi.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kagzi.bench.driver.Contender;
import dev.kagzi.bench.driver.Driver;
import dev.kagzi.bench.floor.FloorContender;
import dev.kagzi.bench.kagzi.KagziContender;
import dev.kagzi.bench.kagzi.KagziSchema;
import dev.kagzi.bench.kagzi.StartFlood;
import dev.kagzi.bench.system.SystemName;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.sql.SQLException;

/** The process that drives one of our own contenders. Stateless. */
public final class DriverProgram {
  private static final int STEPS = 5;

  private DriverProgram() {}

  /**
   * Serves until the input ends.
   *
   * @param at the address of a server, or of a database for systems without one
   */
  public static void run(
      SystemName system, String at, String queue, InputStream in, PrintStream out)
      throws Exception {
    try (var contender = contender(system, at, queue)) {
      new Driver(contender, out)
          .on(
              "overload",
              numbers -> {
                try (var flood = new StartFlood(at, queue, STEPS)) {
                  return flood.run(numbers[0], numbers[1]);
                }
              })
          .serve(new BufferedReader(new InputStreamReader(in, UTF_8)));
    }
  }

  private static Contender contender(SystemName system, String at, String queue)
      throws SQLException {
    return switch (system) {
      case REMOTE -> KagziContender.remote(at, queue);
      case EMBEDDED -> KagziContender.embedded(at, queue);
      case FLOOR_PER_OP -> {
        KagziSchema.create(at);
        yield FloorContender.perOperation(at);
      }
      case FLOOR_BATCHED -> {
        KagziSchema.create(at);
        yield FloorContender.batched(at);
      }
      case DBOS, RESTATE ->
          throw new IllegalArgumentException(system.key() + " has a program of its own");
    };
  }
}
