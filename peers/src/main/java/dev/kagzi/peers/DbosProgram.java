package dev.kagzi.peers;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kagzi.bench.driver.Driver;
import java.io.BufferedReader;
import java.io.InputStreamReader;

/** A process that is DBOS Transact and its driver. */
public final class DbosProgram {
  private DbosProgram() {}

  /**
   * Serves until the input ends.
   *
   * @param arguments the address of a database for JDBC
   */
  public static void main(String[] arguments) throws Exception {
    try (var contender = new DbosContender(arguments[0])) {
      new Driver(contender, System.out)
          .serve(new BufferedReader(new InputStreamReader(System.in, UTF_8)));
    }
    System.exit(0);
  }
}
