package dev.kagzi.cli.api;

import static dev.kagzi.cli.ServerAtWork.unique;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.cli.Recorded;
import dev.kagzi.cli.ServerAtWork;
import dev.kagzi.cli.shell.Terminal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ApiCommandTest {
  @TempDir Path folder;

  private static Recorded kagzi(String... arguments) {
    return ServerAtWork.shared().kagzi(arguments);
  }

  @Test
  void listsWhatTheServerSays() {
    assertThat(ServerAtWork.shared().done("api", "--list"))
        .containsPattern(
            "kagzi.v1.WorkflowService/GetWorkflow +GetWorkflowRequest +GetWorkflowResponse")
        .containsPattern("kagzi.v1.WorkerService/Work +stream WorkRequest +stream WorkResponse")
        .contains("grpc.health.v1.Health/Check")
        .doesNotContain("grpc.reflection");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "kagzi.v1.NamespaceService/GetNamespace",
        "NamespaceService/GetNamespace",
        "NamespaceService.GetNamespace",
        "GetNamespace",
      })
  void takesTheNameOfAMethodInEveryLength(String method) {
    var called = kagzi("api", method, "{\"namespace\": \"default\"}");

    assertThat(called.code()).as(called.err()).isZero();
    assertThat(called.out())
        .startsWith("{\n  \"namespace\": {\n    \"namespace\": \"default\",\n    \"enabled\": true")
        .endsWith("}\n");
  }

  @Test
  void takesTheRequestFromAFileAndFromTheStandardInput() throws IOException {
    var name = unique("raw");
    Files.writeString(folder.resolve("request.json"), "{\"namespace\": \"" + name + "\"}");
    var server = ServerAtWork.shared();

    var file =
        Recorded.run(folder, server.environment(), "api", "CreateNamespace", "@request.json");
    var input =
        server.typing(
            "{\"namespace\": \"" + name + "\"}\n", Terminal.NONE, "api", "GetNamespace", "-");

    assertThat(file.code()).as(file.err()).isZero();
    assertThat(input.code()).as(input.err()).isZero();
    assertThat(input.out()).contains("\"namespace\": \"" + name + "\"");
  }

  @Test
  void fillsInTheNamespaceOfTheFlagOnly() {
    var name = unique("raw");
    kagzi("api", "CreateNamespace", "{\"namespace\": \"" + name + "\"}");

    assertThat(kagzi("api", "GetNamespace", "-n", name).out()).contains(name);
    assertThat(kagzi("api", "GetNamespace").out()).doesNotContain(name);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "GetWorkflw | 4 | the server has no method 'GetWorkflw' (did you mean 'GetWorkflow'?)",
        "WorkflowServise/GetWorkflow | 4 | (did you mean 'WorkflowService/GetWorkflow'?)",
        "GetWorkflow {\"runId\":} | 2 | the request is not JSON: typed text, line 1, column 10",
        "GetWorkflow {\"runid\":\"x\"} | 2 | the request: line 1, column 2: unknown field 'runid'"
            + " of kagzi.v1.GetWorkflowRequest (did you mean 'runId'?)",
        "GetWorkflow {\"includeSteps\":[]} | 2 | the request: ",
        "GetWorkflow @nowhere.json | 2 | the request: there is no file nowhere.json",
        "Work {} | 2 | kagzi.v1.WorkerService/Work is a conversation",
        "GetWorkflow {} --timeout soon | 2 | --timeout: ",
      })
  void saysWhatIsWrong(String arguments, int code, String sentence) {
    var refused = kagzi(("api " + arguments).split(" ", -1));

    assertThat(refused.out()).isEmpty();
    assertThat(refused.err()).contains(sentence);
    assertThat(refused.code()).isEqualTo(code);
  }

  @Test
  void handsOnWhatTheServerRefuses() {
    var missing =
        kagzi("api", "GetWorkflow", "{\"runId\":\"00000000-0000-7000-8000-000000000000\"}");

    assertThat(missing.code()).isEqualTo(4);
    assertThat(missing.err())
        .startsWith("kagzi: ")
        .contains("00000000-0000-7000-8000-000000000000");
    assertThat(kagzi("api").err()).contains("METHOD is missing; kagzi api --list");
  }
}
