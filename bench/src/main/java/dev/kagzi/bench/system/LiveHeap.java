package dev.kagzi.bench.system;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalDouble;
import java.util.regex.Pattern;

/** What is left in another JVM's heap after a collection, if this Java is a JDK. Stateless. */
public final class LiveHeap {
  private static final Pattern USED = Pattern.compile("used (\\d+)K");
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
      var matcher = USED.matcher(output(jcmd, pid, "GC.heap_info"));
      return matcher.find()
          ? OptionalDouble.of(Double.parseDouble(matcher.group(1)) / KILOBYTES_PER_MEGABYTE)
          : OptionalDouble.empty();
    } catch (IOException e) {
      return OptionalDouble.empty();
    }
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
