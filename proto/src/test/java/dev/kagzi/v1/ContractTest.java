package dev.kagzi.v1;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertAll;

import com.google.api.AnnotationsProto;
import com.google.api.HttpRule;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import com.google.protobuf.Duration;
import com.google.protobuf.Empty;
import com.google.protobuf.Timestamp;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Holds the wire contract to its own rules, read from the generated descriptors. */
class ContractTest {

  private static final Map<String, Set<String>> SPECIFIED =
      Map.of(
          "WorkflowService",
          names(
              """
              StartWorkflow GetWorkflow ListWorkflows CountWorkflows CancelWorkflow AwaitWorkflow
              RetryWorkflow ForkWorkflow SendEvent GetState DeleteWorkflow StartBatch GetBatch
              ListBatches CancelBatch Ask\
              """),
          "WorkerService",
          names(
              """
              Register Heartbeat Deregister PollTask GetHistory BeginStep CompleteStep FailStep
              CompleteWorkflow FailWorkflow Sleep Suspend StartChild AddChildItems ListChildResults
              PublishState ReleaseTask Work\
              """),
          "WorkflowScheduleService",
          names(
              """
              CreateSchedule GetSchedule ListSchedules UpdateSchedule DeleteSchedule PauseSchedule
              ResumeSchedule TriggerSchedule BackfillSchedule PreviewSchedule ListScheduleRuns\
              """),
          "AdminService",
          names(
              """
              ListWorkers GetWorker DrainWorker GetStep ListSteps HealthCheck GetServerInfo
              ListQueues ListWorkflowTypes SetDefaultVersion GetStats ExplainWorkflow\
              """),
          "NamespaceService",
          names(
              """
              CreateNamespace GetNamespace ListNamespaces UpdateNamespace EnableNamespace
              DisableNamespace\
              """));

  /** Worker RPCs that are about the worker itself rather than about one run. */
  private static final Set<String> ABOUT_THE_WORKER =
      names("Register Heartbeat Deregister PollTask Work");

  private static final List<FileDescriptor> FILES =
      List.of(
          AdminServiceProto.getDescriptor(),
          BatchProto.getDescriptor(),
          ChildProto.getDescriptor(),
          CommonProto.getDescriptor(),
          NamespaceServiceProto.getDescriptor(),
          OverviewProto.getDescriptor(),
          RunProto.getDescriptor(),
          TaskProto.getDescriptor(),
          WorkerServiceProto.getDescriptor(),
          WorkflowScheduleServiceProto.getDescriptor(),
          WorkflowServiceProto.getDescriptor());

  private static final Pattern PATH_VARIABLE = Pattern.compile("\\{([^}]+)}");

  private static final Set<Descriptor> QUERY_SCALARS =
      Set.of(Duration.getDescriptor(), Timestamp.getDescriptor());

  @Test
  void offersExactlyTheSpecifiedRpcs() {
    Map<String, Set<String>> offered =
        services()
            .collect(
                Collectors.toMap(
                    ServiceDescriptor::getName,
                    service ->
                        service.getMethods().stream()
                            .map(MethodDescriptor::getName)
                            .collect(Collectors.toSet())));

    assertThat(offered).isEqualTo(SPECIFIED);
  }

  @Test
  void servesEveryUnaryRpcOverHttp() {
    assertThat(methods())
        .filteredOn(method -> !isStreaming(method))
        .allSatisfy(
            method -> assertThat(method.getOptions().hasExtension(AnnotationsProto.http)).isTrue());
  }

  @Test
  void onlyWorkAndAskStream() {
    assertThat(methods())
        .filteredOn(ContractTest::isStreaming)
        .extracting(MethodDescriptor::getName)
        .containsExactly("Work", "Ask");
  }

  @Test
  void noTwoRoutesMatchTheSameRequest() {
    List<Route> routes = routes();

    for (int i = 0; i < routes.size(); i++) {
      for (int j = i + 1; j < routes.size(); j++) {
        assertThat(routes.get(i).overlaps(routes.get(j)))
            .as("%s and %s", routes.get(i), routes.get(j))
            .isFalse();
      }
    }
  }

  @Test
  void everyRouteStartsWithTheApiVersion() {
    assertThat(routes()).allSatisfy(route -> assertThat(route.path()).startsWith("/api/v1/"));
  }

  @Test
  void readsAreGetsAndOnlyWritesHaveABody() {
    assertThat(routes())
        .allSatisfy(route -> {
          boolean bodyless = Set.of("GET", "DELETE").contains(route.verb());
          assertThat(route.body()).as("%s", route).isEqualTo(bodyless ? "" : "*");
        });
    assertThat(routes())
        .filteredOn(route -> route.method().matches("(Get|List|Count|Preview|Explain|Await).*"))
        .allSatisfy(route -> assertThat(route.verb()).as("%s", route).isEqualTo("GET"));
  }

  @Test
  void everyPathVariableIsAStringOfTheRequest() {
    for (MethodDescriptor method : methods()) {
      for (Route route : routes(method)) {
        PATH_VARIABLE
            .matcher(route.path())
            .results()
            .map(match -> method.getInputType().findFieldByName(match.group(1)))
            .forEach(field -> {
              assertThat(field).as("%s", route).isNotNull();
              assertThat(field.getJavaType()).isEqualTo(JavaType.STRING);
            });
      }
    }
  }

  @Test
  void requestsWithoutABodyFitIntoAQueryString() {
    for (MethodDescriptor method : methods()) {
      if (routes(method).stream().anyMatch(route -> route.body().isEmpty())) {
        assertFitsIntoAQueryString(method.getInputType());
      }
    }
  }

  @Test
  void everyRpcHasItsOwnRequestAndResponse() {
    assertThat(methods())
        .allSatisfy(method -> {
          assertThat(method.getInputType().getName()).isEqualTo(method.getName() + "Request");
          assertThat(method.getOutputType().getName()).isEqualTo(method.getName() + "Response");
          assertThat(method.getOutputType()).isNotEqualTo(Empty.getDescriptor());
        });
    assertThat(methods())
        .extracting(method -> method.getOutputType().getFields())
        .allSatisfy(fields -> assertThat(fields).isNotEmpty());
  }

  @Test
  void everyWorkerRequestAboutARunIsFenced() {
    List<Descriptor> requests =
        methods().stream()
            .filter(method -> method.getService().getName().equals("WorkerService"))
            .filter(method -> !ABOUT_THE_WORKER.contains(method.getName()))
            .map(MethodDescriptor::getInputType)
            .toList();

    assertThat(requests).hasSize(13);
    assertThat(requests)
        .allSatisfy(request -> {
          assertThat(number(request, "run_id")).isEqualTo(1);
          assertThat(number(request, "lease_epoch")).isEqualTo(2);
          assertThat(number(request, "worker_id")).isEqualTo(3);
          assertThat(number(request, "namespace")).isEqualTo(9);
        });
  }

  @Test
  void theStreamCarriesEveryCallThatConcernsWork() {
    Set<String> expected = new HashSet<>(SPECIFIED.get("WorkerService"));
    expected.removeAll(names("Register Heartbeat Deregister Work"));

    Map<Integer, String> calls = oneofTypes(WorkCall.getDescriptor(), "call", "Request");
    Map<Integer, String> replies = oneofTypes(WorkReply.getDescriptor(), "reply", "Response");

    assertThat(calls.values()).containsExactlyInAnyOrderElementsOf(expected);
    assertThat(replies).isEqualTo(calls);
  }

  @Test
  void theStreamOfClientsCarriesWhatTheyCallMost() {
    Map<Integer, String> calls = oneofTypes(AskCall.getDescriptor(), "call", "Request");
    Map<Integer, String> replies = oneofTypes(AskReply.getDescriptor(), "reply", "Response");

    assertThat(calls.values()).containsExactlyInAnyOrder("StartWorkflow", "AwaitWorkflow");
    assertThat(replies).isEqualTo(calls);
  }

  @Test
  void everyListIsPagedAlike() {
    assertThat(methods())
        .filteredOn(method -> method.getName().startsWith("List"))
        .allSatisfy(method -> {
          assertThat(number(method.getInputType(), "page_size")).isEqualTo(30);
          assertThat(number(method.getInputType(), "page_token")).isEqualTo(31);
          assertThat(method.getOutputType().findFieldByName("page").getMessageType())
              .isEqualTo(PageInfo.getDescriptor());
        });
  }

  @Test
  void everyEnumStartsUnspecifiedAndPrefixesItsValues() {
    List<EnumDescriptor> enums =
        Stream.concat(
                FILES.stream().flatMap(file -> file.getEnumTypes().stream()),
                messages().flatMap(message -> message.getEnumTypes().stream()))
            .toList();

    assertThat(enums)
        .isNotEmpty()
        .allSatisfy(type -> {
          String prefix =
              type.getName().replaceAll("(?<=[a-z])(?=[A-Z])", "_").toUpperCase(Locale.ROOT);
          assertThat(type.findValueByNumber(0).getName()).isEqualTo(prefix + "_UNSPECIFIED");
          assertThat(type.getValues())
              .allSatisfy(value -> assertThat(value.getName()).startsWith(prefix + "_"));
        });
  }

  @Test
  void numbersTheStatesAsSpecified() {
    assertThat(WorkflowStatus.getDescriptor().getValues())
        .extracting(
            value -> value.getNumber() + value.getName().substring("WORKFLOW_STATUS".length()))
        .containsExactly(
            "0_UNSPECIFIED",
            "1_PENDING",
            "2_RUNNING",
            "3_SLEEPING",
            "4_COMPLETED",
            "5_FAILED",
            "6_CANCELLED",
            "7_SCHEDULED",
            "8_PAUSED",
            "9_TIMED_OUT");
    assertThat(WorkerStatus.getDescriptor().getValues())
        .extracting(
            value -> value.getNumber() + value.getName().substring("WORKER_STATUS".length()))
        .containsExactly("0_UNSPECIFIED", "1_ONLINE", "2_DRAINING", "3_OFFLINE");
  }

  @Test
  void keepsTheFieldNumbersThatWereGivenOut() {
    assertAll(
        () ->
            assertNumbered(
                RetryPolicy.getDescriptor(),
                1,
                "maximum_attempts initial_interval backoff_coefficient maximum_interval"
                    + " non_retryable_errors"),
        () ->
            assertNumbered(
                TimeoutConfig.getDescriptor(),
                1,
                "start_to_close_timeout heartbeat_timeout execution_timeout"),
        () ->
            assertNumbered(
                StartWorkflowRequest.getDescriptor(),
                20,
                "timeouts retry_policy on_failure_workflow on_failure_task_queue"),
        () ->
            assertNumbered(
                WorkflowFailedEvent.getDescriptor(),
                1,
                "failed_run_id namespace workflow_type task_queue error original_input attempts"
                    + " started_at failed_at"),
        () ->
            assertNumbered(
                Worker.getDescriptor(),
                1,
                "worker_id namespace task_queue status hostname pid build_version workflow_types"
                    + " max_concurrent active_count total_completed total_failed registered_at"
                    + " last_heartbeat_at labels"),
        () -> assertNumbered(FailStepRequest.getDescriptor(), 4, "non_retryable retry_after"),
        () -> assertNumbered(BeginStepRequest.getDescriptor(), 5, "timeout retry_policy"));
  }

  private static Set<String> names(String words) {
    return Set.of(words.strip().split("\\s+"));
  }

  private static Stream<ServiceDescriptor> services() {
    return FILES.stream().flatMap(file -> file.getServices().stream());
  }

  private static List<MethodDescriptor> methods() {
    return services().flatMap(service -> service.getMethods().stream()).toList();
  }

  private static Stream<Descriptor> messages() {
    return FILES.stream().flatMap(file -> file.getMessageTypes().stream());
  }

  private static boolean isStreaming(MethodDescriptor method) {
    return method.isClientStreaming() || method.isServerStreaming();
  }

  private static List<Route> routes() {
    return methods().stream().flatMap(method -> routes(method).stream()).toList();
  }

  private static List<Route> routes(MethodDescriptor method) {
    if (!method.getOptions().hasExtension(AnnotationsProto.http)) {
      return List.of();
    }
    HttpRule rule = method.getOptions().getExtension(AnnotationsProto.http);
    List<Route> routes = new ArrayList<>();
    routes.add(Route.of(method, rule));
    rule.getAdditionalBindingsList().forEach(binding -> routes.add(Route.of(method, binding)));
    return routes;
  }

  private static void assertFitsIntoAQueryString(Descriptor message) {
    for (FieldDescriptor field : message.getFields()) {
      boolean nested =
          field.getJavaType() == JavaType.MESSAGE
              && !QUERY_SCALARS.contains(field.getMessageType());
      assertThat(nested && field.isRepeated()).as(field.getFullName()).isFalse();
      if (nested) {
        assertFitsIntoAQueryString(field.getMessageType());
      }
    }
  }

  private static int number(Descriptor message, String field) {
    FieldDescriptor found = message.findFieldByName(field);
    assertThat(found).as("%s.%s", message.getName(), field).isNotNull();
    return found.getNumber();
  }

  private static void assertNumbered(Descriptor message, int first, String fields) {
    int expected = first;
    for (String field : fields.split(" ")) {
      assertThat(number(message, field)).as("%s.%s", message.getName(), field).isEqualTo(expected);
      expected++;
    }
  }

  /** The messages of a oneof by field number, without the given ending; others are left out. */
  private static Map<Integer, String> oneofTypes(Descriptor message, String oneof, String ending) {
    Map<Integer, String> types = new TreeMap<>();
    message.getOneofs().stream()
        .filter(candidate -> candidate.getName().equals(oneof))
        .flatMap(found -> found.getFields().stream())
        .filter(field -> field.getMessageType().getName().endsWith(ending))
        .forEach(field -> {
          String type = field.getMessageType().getName();
          types.put(field.getNumber(), type.substring(0, type.length() - ending.length()));
        });
    return types;
  }

  /** One HTTP binding of an RPC. */
  private record Route(String method, String verb, String path, String body) {

    static Route of(MethodDescriptor method, HttpRule rule) {
      String path =
          switch (rule.getPatternCase()) {
            case GET -> rule.getGet();
            case PUT -> rule.getPut();
            case POST -> rule.getPost();
            case DELETE -> rule.getDelete();
            case PATCH -> rule.getPatch();
            case CUSTOM, PATTERN_NOT_SET -> throw new AssertionError("no route: " + method);
          };
      return new Route(method.getName(), rule.getPatternCase().name(), path, rule.getBody());
    }

    boolean overlaps(Route other) {
      String[] mine = path.split("/");
      String[] theirs = other.path.split("/");
      if (!verb.equals(other.verb) || mine.length != theirs.length) {
        return false;
      }
      for (int i = 0; i < mine.length; i++) {
        boolean open = mine[i].startsWith("{") || theirs[i].startsWith("{");
        if (!open && !mine[i].equals(theirs[i])) {
          return false;
        }
      }
      return true;
    }
  }
}
