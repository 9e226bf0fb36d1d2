package dev.kagzi.bench.driver;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A process that drives one contender: reads a command per line, carries it out, and answers with
 * one {@link Reply}. Ends when its input does, so it does not outlive the process that started it.
 */
public final class Driver {
  private static final int FAN_OUT = 500;

  private final Map<String, Command> commands = new HashMap<>();
  private final PrintStream out;

  /** Something that can be asked of a driver, with the numbers that follow its name. */
  @FunctionalInterface
  public interface Command {
    /** Does it and says what was measured. */
    Map<String, Double> run(int[] numbers) throws Exception;
  }

  /** A driver for one contender, which answers there. */
  public Driver(Contender contender, PrintStream out) {
    this.out = out;
    var load = new Load(contender);
    on("abilities", numbers -> abilities(contender));
    on(
        "prepare",
        numbers -> {
          contender.prepare();
          return Map.of();
        });
    on("throughput", numbers -> load.throughput(numbers[0], numbers[1], numbers[2], numbers[3]));
    on("exactly", numbers -> load.exactly(numbers[0], numbers[1], numbers[2]));
    on("awaited", numbers -> load.awaited(numbers[0], numbers[1], numbers[2]));
    on("latency", numbers -> load.latency(numbers[0], numbers[1]));
    on("sequence", numbers -> sequence(contender, numbers[0], numbers[1]));
    on("replay", numbers -> load.replay(numbers[0], numbers[1]));
    on("fan-out-steps", numbers -> Load.repeat(numbers[0], () -> contender.fanOutSteps(FAN_OUT)));
    on(
        "fan-out-children",
        numbers -> Load.repeat(numbers[0], () -> contender.fanOutChildren(FAN_OUT)));
  }

  /** Teaches it another command. */
  public Driver on(String name, Command command) {
    commands.put(name, command);
    return this;
  }

  private static Map<String, Double> abilities(Contender contender) {
    var figures = new LinkedHashMap<String, Double>();
    contender.abilities().forEach(ability -> figures.put(ability.name(), 1.0));
    return figures;
  }

  private static Map<String, Double> sequence(Contender contender, int millis, int steps)
      throws Exception {
    var figures = new LinkedHashMap<>(Load.repeat(millis, () -> contender.startAndAwait(steps)));
    figures.put("steps", (double) steps);
    return figures;
  }

  /** Serves commands until there are no more. */
  public void serve(BufferedReader in) throws IOException {
    tell(Reply.measured(Map.of()));
    for (var line = in.readLine(); line != null; line = in.readLine()) {
      tell(answer(line.strip()));
    }
  }

  @SuppressWarnings("CatchingUnchecked")
  private Reply answer(String line) {
    try {
      var words = line.split(" ", -1);
      var command = commands.get(words[0]);
      if (command == null) {
        return Reply.failed("unknown command '" + words[0] + "'");
      }
      var numbers = new int[words.length - 1];
      for (int i = 0; i < numbers.length; i++) {
        numbers[i] = Integer.parseInt(words[i + 1]);
      }
      return Reply.measured(command.run(numbers));
    } catch (Exception | Error e) {
      e.printStackTrace();
      return Reply.failed("'" + line + "': " + e);
    }
  }

  private void tell(Reply reply) {
    out.println(reply.line());
    out.flush();
  }
}
