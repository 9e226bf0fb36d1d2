package dev.kagzi.bench.system;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.OptionalDouble;
import java.util.regex.Pattern;

/** What is left in another JVM's heap after a collection, if this Java is a JDK. Stateless. */
public final class LiveHeap {
  /** Of the whole heap, or of each of its generations, but not of what is no heap. */
  private static final Pattern USED = Pattern.compile("total \\d+K, used (\\d+)K");

  private static final double KILOBYTES_PER_MEGABYTE = 1024;

  private LiveHeap() {}

  /** Has it collected and looks, in megabytes; empty where nobody can tell. */
  public static OptionalDouble megabytes(long pid) throws InterruptedException {
    var jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
    if (!Files.isExecutable(jcmd)) {
      return OptionalDouble.empty();
    }
    try {
      var unused = output(jcmd, pid, "GC.run");
      return megabytes(output(jcmd, pid, "GC.heap_info"));
    } catch (IOException e) {
      return OptionalDouble.empty();
    }
  }

  /** What is used according to what {@code jcmd} says about a heap, whoever collects it. */
  static OptionalDouble megabytes(String heapInfo) {
    var generations =
        USED.matcher(heapInfo)
            .results()
            .mapToDouble(match -> Double.parseDouble(match.group(1)))
            .toArray();
    return generations.length == 0
        ? OptionalDouble.empty()
        : OptionalDouble.of(Arrays.stream(generations).sum() / KILOBYTES_PER_MEGABYTE);
  }

  private static String output(Path jcmd, long pid, String command)
      throws IOException, InterruptedException {
    var process =
        new ProcessBuilder(jcmd.toString(), Long.toString(pid), command)
            .redirectErrorStream(true)
            .start();
    var text = new String(process.getInputStream().readAllBytes(), UTF_8);
    process.waitFor();
    return text;
  }
}
