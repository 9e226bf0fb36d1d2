package dev.kagzi.cli.namespace;

import static dev.kagzi.cli.ServerAtWork.unique;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.cli.Recorded;
import dev.kagzi.cli.ServerAtWork;
import dev.kagzi.cli.shell.Terminal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NamespaceCommandTest {
  private static final Terminal PERSON = new Terminal(true, true, true);

  private final String name = unique("tenant");

  private static Recorded kagzi(String... arguments) {
    return ServerAtWork.shared().kagzi(arguments);
  }

  private static String done(String... arguments) {
    return ServerAtWork.shared().done(arguments);
  }

  @Test
  void createsAndShowsANamespace() {
    var created = kagzi("namespace", "create", name, "--retention", "30d", "--label", "team=shop");
    var shown = kagzi("ns", "show", name);

    assertThat(created.code()).as(created.err()).isZero();
    assertThat(created.out()).isEqualTo("namespace %s created%n".formatted(name));
    assertThat(done("namespace", "create", name, "--retention", "30d", "--label", "team=shop"))
        .contains("exists already");
    assertThat(shown.done()).contains(name, "enabled", "retention    30d", "team=shop");
  }

  @Test
  void listsNamespacesInEveryForm() {
    kagzi("namespace", "create", name, "--description", "The shop");

    assertThat(done("namespace", "list"))
        .containsPattern("NAMESPACE +STATE +RETENTION +CREATED +DESCRIPTION")
        .containsPattern(name + " +enabled +the server's +\\d+s ago +The shop")
        .containsPattern("\\d+ namespaces");
    assertThat(done("namespace", "list", "-o", "ids")).contains("default\n", name + "\n");
    assertThat(done("namespace", "list", "-o", "json"))
        .contains("\"namespaces\": [", "\"namespace\": \"" + name + "\"");
    assertThat(done("namespace", "list", "-o", "jsonl").lines())
        .allMatch(line -> line.startsWith("{\"namespace\":"));
    assertThat(done("namespace", "list", "-o", "none")).isEmpty();
  }

  @Test
  void fetchesPageByPageUpToTheLimit() {
    kagzi("namespace", "create", name);

    var one = kagzi("namespace", "list", "--limit", "1");

    assertThat(one.done()).contains("1 namespace, and there are more (--limit)");
    assertThat(kagzi("namespace", "list", "--limit", "0").err())
        .contains("--limit: 0 (expected: 1 to 100000)");
  }

  @Test
  void updatesWhatIsGiven() {
    kagzi("namespace", "create", name, "--description", "old", "--label", "a=1");

    done("namespace", "update", name, "--label", "b=2", "--remove-label", "a", "--keep-forever");

    assertThat(done("namespace", "show", name)).contains("old", "labels       b=2", "for ever");
  }

  @Test
  void disablesOnlyAfterAYes() {
    kagzi("namespace", "create", name);

    var refused = kagzi("namespace", "disable", name);
    var no = ServerAtWork.shared().typing("n\n", PERSON, "namespace", "disable", name);
    var yes =
        ServerAtWork.shared()
            .typing("y\n", PERSON, "namespace", "disable", name, "--reason", "moved");

    assertThat(refused.code()).isEqualTo(2);
    assertThat(refused.err()).contains("stop everything in namespace " + name + " needs --yes");
    assertThat(no.code()).isEqualTo(1);
    assertThat(no.err()).contains("[y/N]", "kagzi: not done");
    assertThat(yes.code()).isZero();
    assertThat(done("namespace", "show", name)).contains("disabled   moved");
    assertThat(done("namespace", "enable", name)).contains(name + " enabled");
    assertThat(done("namespace", "disable", name, "--yes")).contains(name + " disabled");
  }

  @Test
  void aDryRunShowsTheRequestAndDoesNothing() {
    var dry = kagzi("namespace", "create", name, "--description", "x", "--dry-run");

    assertThat(dry.code()).isZero();
    assertThat(dry.err()).contains("would call CreateNamespace");
    assertThat(dry.out()).contains("\"description\": \"x\"");
    assertThat(kagzi("namespace", "show", name).code()).isEqualTo(4);
  }

  @Test
  void saysWhatIsMissing() {
    var missing = kagzi("namespace", "show", name);
    var noVerb = kagzi("namespace");

    assertThat(missing.code()).isEqualTo(4);
    assertThat(missing.err()).contains(name);
    assertThat(noVerb.code()).isEqualTo(2);
    assertThat(noVerb.err()).contains("kagzi namespace", "create", "disable");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "wf show order-42",
        "wf show 0198f2c1-6f0b-7c3e-9a51-0d7c2f8e1b44",
        "wf cancel order-42",
        "wf count --group-by status --schedule nightly",
        "wf start greet",
        "wf retry --status failed --yes",
        "step list order-42",
        "schedule show nightly",
        "schedule create greet @daily",
        "worker show 7f3a91bc",
        "queue show orders",
        "batch show 1a2b3c4d",
        "wf list",
      })
  void aNamespaceThatIsNotThereIsWhatIsWrong(String command) {
    done("namespace", "create", name);
    var typed = name.replace("tenant", "tennant");
    var line = (command + " -n " + typed).split(" ", -1);

    var refused = kagzi(line);

    assertThat(refused.code()).as(refused.err()).isEqualTo(4);
    assertThat(refused.err())
        .contains("namespace '" + typed + "' does not exist (did you mean 'tenant-")
        .contains("its name comes from --namespace")
        .contains("kagzi: try: kagzi namespace list, or kagzi namespace create " + typed);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"wf list", "wf count", "worker list", "queue list", "batch list", "schedule list"})
  void anEmptyListOfANamespaceThatIsNotThereIsAnError(String command) {
    var line = (command + " -n no-such-namespace").split(" ", -1);

    var refused = ServerAtWork.shared().kagzi(line);

    assertThat(refused.code()).isEqualTo(4);
    assertThat(refused.err()).contains("namespace 'no-such-namespace' does not exist");
    assertThat(refused.out()).isEmpty();
  }
}
