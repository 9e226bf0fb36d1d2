package dev.kagzi.cli.schedule;

import dev.kagzi.cli.command.JsonInput;
import dev.kagzi.cli.command.Moments;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.v1.RunTemplate;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What the ticks of a schedule start. */
final class TemplateOptions {
  @Option(
      names = "--input",
      paramLabel = "INPUT",
      description = "Input of each run: JSON, @file, or - for the standard input.")
  private @Nullable String input;

  @Option(names = "--queue", paramLabel = "QUEUE", description = "Default: the type's home queue.")
  private @Nullable String queue;

  @Option(names = "--version", paramLabel = "VERSION", description = "Default: the type's own.")
  private @Nullable String version;

  @Option(names = "--label", paramLabel = "KEY=VALUE", description = "A label of each run.")
  private Map<String, String> labels = new LinkedHashMap<>();

  @Option(
      names = "--run-timeout",
      paramLabel = "TIME",
      description = "Ends a run when it takes longer.")
  private @Nullable String runTimeout;

  @Option(
      names = "--retry-max",
      paramLabel = "N",
      description = "Attempts of a step and of the run at most; -1 is unlimited.")
  private @Nullable Integer maximumAttempts;

  /** Whether anything is given. */
  boolean isGiven() {
    return input != null
        || queue != null
        || version != null
        || runTimeout != null
        || maximumAttempts != null
        || !labels.isEmpty();
  }

  /** A template with what is given changed. */
  RunTemplate applyTo(Session session, RunTemplate template) {
    var changed = template.toBuilder().putAllLabels(labels);
    if (input != null || !template.hasInput()) {
      changed.setInput(JsonInput.payload(session, "--input", input));
    }
    if (queue != null) {
      changed.setTaskQueue(queue);
    }
    if (version != null) {
      changed.setVersion(version);
    }
    if (runTimeout != null) {
      changed.getTimeoutsBuilder().setExecutionTimeout(Moments.wire("--run-timeout", runTimeout));
    }
    if (maximumAttempts != null) {
      changed.getRetryPolicyBuilder().setMaximumAttempts(maximumAttempts);
    }
    return changed.build();
  }
}
