package dev.kagzi.server.json;

import static dev.kagzi.server.Wire.aStart;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import dev.kagzi.server.TestServer;
import dev.kagzi.server.config.ConfigKeys;
import dev.kagzi.server.grpc.GoodRequests;
import dev.kagzi.v1.AdminServiceGrpc;
import dev.kagzi.v1.NamespaceServiceGrpc;
import dev.kagzi.v1.WorkerServiceGrpc;
import dev.kagzi.v1.WorkflowScheduleServiceGrpc;
import dev.kagzi.v1.WorkflowServiceGrpc;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import tools.jackson.databind.JsonNode;

/** Everything that can be asked over gRPC can be asked with curl. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class JsonApiTest {

  private static final int MORE_THAN_A_MESSAGE = 9 << 20;

  private TestServer server;
  private JsonClient client;
  private GoodRequests good;

  @BeforeAll
  void start() {
    server =
        TestServer.start(settings -> settings.set(ConfigKeys.POLL_TIMEOUT, Duration.ofSeconds(1)));
    client = new JsonClient(server);
    good = new GoodRequests(server);
  }

  @AfterAll
  void stop() {
    client.close();
    server.close();
  }

  @SuppressWarnings("unchecked")
  private static Stream<MethodDescriptor<Message, Message>> methods() {
    return Stream.of(
            WorkflowServiceGrpc.getServiceDescriptor(),
            WorkerServiceGrpc.getServiceDescriptor(),
            WorkflowScheduleServiceGrpc.getServiceDescriptor(),
            AdminServiceGrpc.getServiceDescriptor(),
            NamespaceServiceGrpc.getServiceDescriptor())
        .flatMap(service -> service.getMethods().stream())
        .map(method -> (MethodDescriptor<Message, Message>) method)
        .filter(method -> method.getType() == MethodDescriptor.MethodType.UNARY);
  }

  @Test
  void everyUnaryCallHasARouteAndNoTwoShareOne() {
    assertThat(methods().filter(method -> Route.of(method).isEmpty())).isEmpty();
    assertThat(
            methods()
                .flatMap(method -> Route.of(method).stream())
                .map(route -> route.verb() + " " + route.template().replaceAll("\\{[^}]*}", "{}")))
        .doesNotHaveDuplicates();
  }

  @Test
  void everyCallIsCarriedOutByItsRoute() throws IOException {
    var wrong = new ArrayList<String>();
    for (MethodDescriptor<Message, Message> method : methods().toList()) {
      Route route = Route.of(method).get(0);
      String name = Objects.requireNonNull(method.getBareMethodName());
      JsonClient.Reply reply = client.call(route, good.request(name));
      if (reply.status() != 200 || !isAnswerOf(method, reply.body())) {
        wrong.add("%s: %d %s".formatted(name, reply.status(), reply.body()));
      }
    }

    assertThat(wrong).isEmpty();
  }

  private static boolean isAnswerOf(MethodDescriptor<Message, Message> method, JsonNode body)
      throws IOException {
    var marshaller = (PrototypeMarshaller<Message>) method.getResponseMarshaller();
    Message.Builder answer =
        Objects.requireNonNull(marshaller.getMessagePrototype()).newBuilderForType();
    JsonFormat.parser().merge(body.toString(), answer);
    return true;
  }

  @Test
  void aRunIsStartedAndFoundByItsExternalIdWhateverItIs() {
    String started =
        client
            .post(
                "/api/v1/workflows",
                """
                {"workflowType": "greet", "task_queue": "nobody", "external_id": "a/b c+ü#1",
                 "input": {"json": "{\\"name\\":\\"Ada\\"}"}, "labels": {"team": "blue"}}
                """)
            .body()
            .path("runId")
            .asString();

    JsonNode found =
        client.get("/api/v1/external-ids/a%2Fb%20c%2B%C3%BC%231?include_payloads=true").body();

    assertThat(started).isNotEmpty();
    assertThat(found.at("/run/runId").asString()).isEqualTo(started);
    assertThat(found.at("/run/input/json").asString()).isEqualTo("{\"name\":\"Ada\"}");
    assertThat(found.at("/run/status").asString()).isEqualTo("WORKFLOW_STATUS_PENDING");
  }

  @Test
  void aRefusalDoesNotRepeatAllThatWasSent() {
    String longText = "x".repeat(100_000);

    JsonClient.Reply reply =
        client.post("/api/v1/workflows", "{\"workflowType\": {\"" + longText + "\": 1}}");
    JsonClient.Reply quoted =
        client.post("/api/v1/workflows", "{\"priority\": \"" + longText + "\"}");

    assertThat(reply.status()).isEqualTo(400);
    assertThat(quoted.status()).isEqualTo(400);
    assertThat(reply.error().length()).isLessThan(2100);
    assertThat(quoted.error().length()).isLessThan(2100);
  }

  @Test
  void enumsMayBeShortInAQuery() {
    var unused = server.workflows().startWorkflow(aStart().setTaskQueue("nobody").build());

    assertThat(client.get("/api/v1/workflows?filter.statuses=pending&page_size=1").status())
        .isEqualTo(200);
    assertThat(client.get("/api/v1/workflows?filter.statuses=TIMED_OUT").body().at("/runs"))
        .isEmpty();
  }

  @Test
  void anErrorOfACallSaysWhatGrpcWouldSay() {
    JsonClient.Reply reply = client.get("/api/v1/workflows/01890a5d-ac96-774b-bcce-b302099a8057");

    assertThat(reply.status()).isEqualTo(404);
    assertThat(reply.body().at("/error/status").asString()).isEqualTo("NOT_FOUND");
    assertThat(reply.reason()).isEqualTo("RUN_NOT_FOUND");
    assertThat(reply.error()).contains("01890a5d-ac96-774b-bcce-b302099a8057");
  }

  @Test
  void whatCannotBeUnderstoodIsRefusedInWords() {
    assertThat(client.get("/api/v1/nothing").status()).isEqualTo(404);
    assertThat(client.get("/api/v1/nothing").error()).contains("/openapi.json");

    JsonClient.Reply wrongVerb = client.send(client.request("/api/v1/workflows").DELETE());
    assertThat(wrongVerb.status()).isEqualTo(405);
    assertThat(wrongVerb.response().headers().firstValue("Allow")).contains("GET, POST");

    assertThat(client.post("/api/v1/workflows", "{").error()).contains("StartWorkflowRequest");
    assertThat(client.post("/api/v1/workflows", "{\"worflow\":1}").error()).contains("worflow");
    assertThat(client.post("/api/v1/workflows?a=b", "{}").error()).contains("in the body");
    assertThat(client.get("/api/v1/workflows?pagesize=3").error())
        .contains("'pagesize'", "page_size");
    assertThat(client.get("/api/v1/workflows?page_size=3&page_size=4").error()).contains("2 times");
    assertThat(client.get("/api/v1/workflows?page_size=many").error()).contains("many");
    assertThat(client.get("/api/v1/workflows?filter=x").error()).contains("'filter'");
    assertThat(client.get("/api/v1/workflows?page_size.x=1").error()).contains("no fields");
    assertThat(client.post("/api/v1/workflows/a/cancel", "{\"runId\":\"b\"}").error())
        .contains("'a'", "'b'");
  }

  @Test
  void aWebPageOfAnotherOriginCanStartNothing() {
    JsonClient.Reply asAFormWould =
        client.send(
            client
                .request("/api/v1/workflows")
                .header("Content-Type", "text/plain")
                .POST(BodyPublishers.ofString("{}")));

    assertThat(asAFormWould.status()).isEqualTo(415);
    assertThat(asAFormWould.error()).contains("application/json");
  }

  @Test
  void aNameThatWasMadeToLeadHereIsRefused() throws IOException {
    assertThat(rawStatus("/healthz", "evil.example")).contains("421");
    assertThat(rawStatus("/healthz", "LOCALHOST:80")).contains("200");
    assertThat(rawStatus("/healthz", "127.0.0.1")).contains("200");
  }

  @Test
  void aPathThatIsNotEncodedProperlyIsRefused() throws IOException {
    assertThat(rawStatus("/api/v1/workflows/%zz", "localhost")).contains("400");
  }

  /** The first line of an answer, to what a proper client would not send. */
  private String rawStatus(String path, String host) throws IOException {
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), server.server().httpPort())) {
      socket
          .getOutputStream()
          .write(
              "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n"
                  .formatted(path, host)
                  .getBytes(StandardCharsets.US_ASCII));
      return new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))
          .readLine();
    }
  }

  @Test
  void whoIsAnsweredBeforeHisBodyCameIsToldThatTheConnectionEnds() throws IOException {
    String unexpected =
        """
        DELETE /api/v1/nowhere HTTP/1.1\r
        Host: localhost\r
        Content-Type: application/json\r
        Content-Length: 5\r
        \r
        """;

    assertThat(rawHead(unexpected)).contains("Connection: close");
    assertThat(rawHead(unexpected + "[1,2]")).doesNotContain("Connection: close");
    assertThat(rawHead("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"))
        .contains("HTTP/1.1 200 OK")
        .doesNotContain("Connection: close");
  }

  /** The lines of an answer before its body. */
  private List<String> rawHead(String request) throws IOException {
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), server.server().httpPort())) {
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      return new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))
          .lines()
          .takeWhile(line -> !line.isEmpty())
          .toList();
    }
  }

  @Test
  void textIsAnsweredAsPeopleWroteIt() {
    String text = "it's 1 + 1 = 2, > 1 & < 3, \\ and \\u0027";
    var start = aStart().setTaskQueue("nobody").putLabels("said", text).build();
    String runId = server.workflows().startWorkflow(start).getRunId();

    JsonClient.Reply reply = client.get("/api/v1/workflows/" + runId);

    assertThat(reply.body().at("/run/labels/said").asString()).isEqualTo(text);
    assertThat(reply.response().body()).contains("it's 1 + 1 = 2, > 1 & ").doesNotContain("< 3");
  }

  @Test
  void aBodyThatIsTooLargeIsRefusedBeforeItIsRead() {
    JsonClient.Reply reply = client.post("/api/v1/workflows", " ".repeat(MORE_THAN_A_MESSAGE));

    assertThat(reply.status()).isEqualTo(413);
  }

  @Test
  void theDescriptionNamesEveryRouteAndExplainsIt() {
    JsonNode document = client.get("/openapi.json").body();

    List<Route> routes = methods().flatMap(method -> Route.of(method).stream()).toList();
    assertThat(routes)
        .hasSizeGreaterThan(50)
        .allSatisfy(route -> {
          JsonNode operation =
              document
                  .path("paths")
                  .path(route.template())
                  .path(route.verb().toLowerCase(Locale.ROOT));
          assertThat(operation.path("summary").asString("")).isNotEmpty();
          assertThat(operation.at("/responses/200").isObject()).isTrue();
        });
    assertThat(document.findValuesAsString("$ref"))
        .isNotEmpty()
        .allMatch(reference -> document.at(reference.substring(1)).isObject());
    assertThat(document.findValuesAsString("operationId")).doesNotHaveDuplicates();
  }
}
