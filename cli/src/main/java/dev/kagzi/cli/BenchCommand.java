package dev.kagzi.cli;

import dev.kagzi.bench.Bench;
import dev.kagzi.bench.BenchOptions;
import dev.kagzi.bench.report.Progress;
import dev.kagzi.bench.system.Peers;
import dev.kagzi.bench.system.PeersHome;
import dev.kagzi.bench.system.Programs;
import dev.kagzi.bench.system.Stage;
import dev.kagzi.bench.system.SystemName;
import dev.kagzi.cli.folder.TempFolder;
import dev.kagzi.cli.shell.ExitCode;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.server.config.LogConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures Kagzi, and its peers beside it. */
@Command(
    name = "bench",
    sortOptions = false,
    description = "Measures how fast Kagzi is here, and its peers beside it.",
    footer = "Example: kagzi bench --peers --only w1,w2")
final class BenchCommand implements Callable<Integer> {
  private static final String OWN_FOLDER = ".kagzi";

  private final Session session;

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it before anything is called
  private CommandSpec spec;

  @Option(
      names = "--only",
      paramLabel = "NAMES",
      split = ",",
      description =
          "Workloads, of w1 (throughput), w2 (latency), w3 (long workflow), w4 (fan-out), w5"
              + " (idle), w6 (many runs in the tables), soak (memory), overload. Default: w1 to"
              + " w6.")
  private List<String> only = List.of();

  @Option(
      names = "--peers",
      description =
          "Also measures DBOS Transact and Restate, and what PostgreSQL alone can do. In a"
              + " checkout; Restate needs npm.")
  private boolean peers;

  @Option(
      names = "--systems",
      paramLabel = "NAMES",
      split = ",",
      description =
          "Systems, of remote, embedded, dbos, restate, floor_per_op, floor_batched. Default:"
              + " remote and embedded, and all with --peers.")
  private List<String> systems = List.of();

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "Length of a round. Default: ${DEFAULT-VALUE}; less shows only that it works.")
  private int seconds = BenchOptions.USUAL_SECONDS;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "Rounds of each workload. Default: ${DEFAULT-VALUE}.")
  private int rounds = BenchOptions.USUAL_ROUNDS;

  @Option(names = "--json", description = "Prints one JSON object instead of lines and tables.")
  private boolean json;

  @Option(
      names = "--address",
      paramLabel = "HOST:PORT",
      description = "Measures the server there, with a worker and a client here.")
  private @Nullable String address;

  BenchCommand(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() throws Exception {
    var options = new BenchRequest(only, systems, peers, seconds, rounds, json, address).read(spec);
    Logging.use(new LogConfig(LogConfig.Format.TEXT, LogConfig.Level.ERROR));
    var progress = new Progress(session.err(), session.terminal().err());
    var folder = dataFolder();
    var found = peersFor(options, progress);
    var stage =
        new Stage(
            new Programs(OwnProgram::longRunning, OwnProgram.java()),
            folder,
            session.lifetime()::hold,
            found);
    var present = withoutMissing(options, found);
    var bench = new Bench(present, stage, progress);
    bench.fact("bench.disk", Files.getFileStore(folder).type());
    bench.run(session.out());
    return ExitCode.OK.number();
  }

  /** Beside other data of Kagzi, because temporary files may lie in memory. */
  private Path dataFolder() throws IOException {
    var parent = Files.createDirectories(session.folder().resolve(OWN_FOLDER));
    return session
        .lifetime()
        .hold(new TempFolder(Files.createTempDirectory(parent, "bench-")))
        .path();
  }

  private @Nullable Peers peersFor(BenchOptions options, Progress progress)
      throws InterruptedException {
    if (options.systems().stream().noneMatch(SystemName::isPeer)) {
      return null;
    }
    var home = PeersHome.of(System.getProperty("kagzi.launcher"), progress);
    var library = home.library();
    boolean restate = options.systems().contains(SystemName.RESTATE);
    var server = restate ? home.restateServer(session.folder().resolve(OWN_FOLDER)) : null;
    return new Peers(library, server);
  }

  /** Restate is left out where its server is not to be had; that has been said already. */
  private static BenchOptions withoutMissing(BenchOptions options, @Nullable Peers found) {
    var present =
        options.systems().stream()
            .filter(system ->
                system != SystemName.RESTATE || (found != null && found.restateServer() != null))
            .toList();
    return new BenchOptions(
        options.workloads(),
        present,
        options.seconds(),
        options.rounds(),
        options.json(),
        options.address());
  }
}
