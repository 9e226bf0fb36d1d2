package dev.kagzi.bench.system;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalDouble;

/** What Linux says about processes in {@code /proc}; elsewhere nothing is known. Stateless. */
public final class ProcessFigures {
  private static final Path PROC = Path.of("/proc");

  /** A tick is 10 ms on every Linux that runs Java. */
  private static final double MILLIS_PER_TICK = 10;

  private static final double KILOBYTES_PER_MEGABYTE = 1024;

  /** Places of the fields behind the name of the program, which may itself contain blanks. */
  private static final int USER_TICKS = 11;

  private static final int CHILDREN_SYSTEM_TICKS = 14;
  private static final int SYSTEM_TICKS = 12;

  private ProcessFigures() {}

  /** Whether this machine can tell. */
  static boolean isKnown() {
    return Files.isReadable(PROC.resolve("self").resolve("stat"));
  }

  /** The processor time of one process until now, in milliseconds; 0 when it is gone. */
  public static double cpuMillis(long pid) {
    return ticks(pid, SYSTEM_TICKS) * MILLIS_PER_TICK;
  }

  /** The processor time of a process, of those below it, and of those below it that have ended. */
  public static double cpuMillisWithChildren(long pid) {
    double children =
        ProcessHandle.of(pid).stream()
            .flatMap(ProcessHandle::descendants)
            .mapToDouble(child -> ticks(child.pid(), SYSTEM_TICKS))
            .sum();
    return (ticks(pid, CHILDREN_SYSTEM_TICKS) + children) * MILLIS_PER_TICK;
  }

  private static double ticks(long pid, int lastField) {
    try {
      var stat = Files.readString(PROC.resolve(Long.toString(pid)).resolve("stat"));
      var fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
      long sum = 0;
      for (int field = USER_TICKS; field <= lastField; field++) {
        sum += Long.parseLong(fields[field]);
      }
      return sum;
    } catch (IOException gone) {
      return 0;
    }
  }

  /** The memory of a process that lies in RAM, in megabytes; empty when nobody knows. */
  public static OptionalDouble residentMegabytes(long pid) {
    try (var lines = Files.lines(PROC.resolve(Long.toString(pid)).resolve("status"))) {
      return lines
          .filter(line -> line.startsWith("VmRSS:"))
          .mapToDouble(
              line -> Double.parseDouble(line.replaceAll("\\D", "")) / KILOBYTES_PER_MEGABYTE)
          .findFirst();
    } catch (IOException gone) {
      return OptionalDouble.empty();
    }
  }
}
