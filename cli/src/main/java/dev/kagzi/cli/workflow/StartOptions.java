package dev.kagzi.cli.workflow;

import dev.kagzi.cli.client.Server;
import dev.kagzi.cli.command.JsonInput;
import dev.kagzi.cli.command.Moments;
import dev.kagzi.cli.output.Words;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.v1.IdReusePolicy;
import dev.kagzi.v1.RetryPolicy;
import dev.kagzi.v1.StartWorkflowRequest;
import dev.kagzi.v1.TimeoutConfig;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What to start, for the commands that start a run. */
final class StartOptions {
  @Parameters(index = "0", paramLabel = "TYPE", description = "The workflow type.")
  private String type = "";

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "INPUT",
      description = "JSON, @file, or - for the standard input. Default: null.")
  private @Nullable String input;

  @Option(
      names = "--id",
      paramLabel = "ID",
      description = "External id; a live run with it is answered instead of another one.")
  private String externalId = "";

  @Option(names = "--queue", paramLabel = "QUEUE", description = "Default: the type's home queue.")
  private String queue = "";

  @Option(names = "--version", paramLabel = "VERSION", description = "Default: the type's own.")
  private String version = "";

  @Option(names = "--delay", paramLabel = "TIME", description = "Starts this much later, as 10m.")
  private @Nullable String delay;

  @Option(
      names = "--run-timeout",
      paramLabel = "TIME",
      description = "Ends the run when it takes longer.")
  private @Nullable String runTimeout;

  @Option(
      names = "--retry-max",
      paramLabel = "N",
      description = "Attempts of a step and of the run at most; -1 is unlimited.")
  private @Nullable Integer maximumAttempts;

  @Option(names = "--label", paramLabel = "KEY=VALUE", description = "A label. May be repeated.")
  private Map<String, String> labels = new LinkedHashMap<>();

  @Option(
      names = "--reuse-id",
      paramLabel = "POLICY",
      description = "When a run with the id has ended: allow, allow-if-failed or reject.")
  private @Nullable String reuse;

  @Option(
      names = "--on-failure",
      paramLabel = "TYPE",
      description = "A workflow to start when the run has failed.")
  private String onFailure = "";

  StartWorkflowRequest request(Session session, Server server) {
    var request =
        StartWorkflowRequest.newBuilder()
            .setNamespace(server.namespace())
            .setWorkflowType(type)
            .setTaskQueue(queue)
            .setExternalId(externalId)
            .setVersion(version)
            .setInput(JsonInput.payload(session, "the input", input))
            .setRequestId(server.newId())
            .putAllLabels(labels)
            .setOnFailureWorkflow(onFailure);
    if (delay != null) {
      request.setStartDelay(Moments.wire("--delay", delay));
    }
    if (reuse != null) {
      request.setIdReusePolicy(Words.read(IdReusePolicy.class, "--reuse-id", reuse));
    }
    if (runTimeout != null) {
      request.setTimeouts(
          TimeoutConfig.newBuilder()
              .setExecutionTimeout(Moments.wire("--run-timeout", runTimeout)));
    }
    if (maximumAttempts != null) {
      request.setRetryPolicy(RetryPolicy.newBuilder().setMaximumAttempts(maximumAttempts));
    }
    return request.build();
  }
}
