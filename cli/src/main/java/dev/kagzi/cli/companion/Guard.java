package dev.kagzi.cli.companion;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A small shell program around the user's command that ends it, with everything it has started,
 * when we are gone without a word, as after {@code kill -9}: then its standard input ends. The
 * command gets a process group of its own, because build tools do not hand signals on. Stateless.
 */
final class Guard {
  private static final Path SHELL = Path.of("/bin/sh");

  /**
   * Ctrl-C reaches the guard as well, which must not go before us. Some shells have groups of jobs
   * only where there is a terminal, so {@code setsid} comes first.
   */
  private static final String PROGRAM =
      """
      exec 3<&0 </dev/null
      trap : TERM INT HUP
      if command -v setsid >/dev/null 2>&1; then
        setsid "$@" 3<&- &
      else
        set -m
        "$@" 3<&- &
        set +m
      fi
      worker=$!
      {
        trap '' HUP
        read -r nothing <&3
        trap '' TERM
        kill -s TERM -- "-$worker"
        sleep 5
        kill -s KILL -- "-$worker"
      } >/dev/null 2>&1 &
      watch=$!
      exec 3<&-
      status=0
      wait "$worker" || status=$?
      while kill -0 "$worker" 2>/dev/null; do
        status=0
        wait "$worker" || status=$?
      done
      kill "$watch" 2>/dev/null
      exit "$status"
      """;

  private Guard() {}

  /** The command with the guard around it; as it is where there is no such shell. */
  static List<String> around(List<String> command) {
    if (!Files.isExecutable(SHELL)) {
      return command;
    }
    var guarded = new ArrayList<>(List.of(SHELL.toString(), "-c", PROGRAM, "kagzi-worker"));
    guarded.addAll(command);
    return guarded;
  }

  /** Whether there is such a program, as the shell would look for it. */
  static boolean canFind(String program, Path folder, Optional<String> searched) {
    if (!Files.isExecutable(SHELL)) {
      return true;
    }
    var places =
        program.contains("/")
            ? Stream.of(folder)
            : Stream.of(searched.orElse("").split(File.pathSeparator, -1)).map(folder::resolve);
    return places
        .map(place -> place.resolve(program))
        .anyMatch(file -> Files.isRegularFile(file) && Files.isExecutable(file));
  }
}
