package dev.kagzi.peers;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kagzi.bench.driver.Driver;
import java.io.BufferedReader;
import java.io.InputStreamReader;

/** A process that drives Restate from outside. */
public final class RestateDriverProgram {
  private RestateDriverProgram() {}

  /**
   * Serves until the input ends.
   *
   * @param arguments the addresses of the ingress, of the administration and of the service
   */
  public static void main(String[] arguments) throws Exception {
    try (var contender = new RestateContender(arguments[0], arguments[1], arguments[2])) {
      new Driver(contender, System.out)
          .serve(new BufferedReader(new InputStreamReader(System.in, UTF_8)));
    }
    System.exit(0);
  }
}
