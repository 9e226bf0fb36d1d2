package dev.kagzi.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import dev.kagzi.server.TestServer;
import dev.kagzi.v1.NamespaceServiceGrpc;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every request that names a namespace is sent about things of one tenant in the name of another,
 * and then by the tenant itself: the other must see and change nothing. The methods are those of
 * the contract, so that one that is added to it is tried too.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class IsolationTest {

  private static final Pattern ID = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

  /** Names that only the first tenant uses, unless the request itself brings them. */
  private static final List<String> NAMES = List.of("nobody", "versioned", "orders");

  private TestServer server;
  private RawCalls calls;
  private GoodRequests good;

  @BeforeAll
  void start() {
    server = TestServer.start();
    calls = new RawCalls(server.channel());
    good = new GoodRequests(server);
    var unused = good.request("SetDefaultVersion");
  }

  @AfterAll
  void stop() {
    server.close();
  }

  static Stream<String> methods() {
    return tenants().map(method -> String.valueOf(method.getBareMethodName()));
  }

  /** Operators' own requests about namespaces name them as what they are about. */
  private static Stream<MethodDescriptor<?, ?>> tenants() {
    return BadInputTest.methods()
        .filter(method -> !NamespaceServiceGrpc.SERVICE_NAME.equals(method.getServiceName()))
        .filter(
            method -> !Set.of("HealthCheck", "GetServerInfo").contains(method.getBareMethodName()));
  }

  @ParameterizedTest
  @MethodSource("methods")
  void nothingOfAnotherNamespaceIsSeenOrChanged(String name) {
    MethodDescriptor<?, ?> method =
        tenants().filter(each -> name.equals(each.getBareMethodName())).findFirst().orElseThrow();
    Message own = good.request(name);
    FieldDescriptor namespace = own.getDescriptorForType().findFieldByName("namespace");
    Message foreign = own.toBuilder().setField(namespace, good.namespace()).build();

    String seen = replyOrNotFound(method, foreign);
    String asOwner = text(calls.reply(method, own.toByteArray()));

    Set<String> secrets = idsIn(asOwner);
    secrets.addAll(idsIn(text(own.toByteArray())));
    NAMES.stream().filter(known -> !text(own.toByteArray()).contains(known)).forEach(secrets::add);
    assertThat(secrets).noneMatch(seen::contains);
  }

  private String replyOrNotFound(MethodDescriptor<?, ?> method, Message request) {
    try {
      return text(calls.reply(method, request.toByteArray()));
    } catch (StatusRuntimeException refusal) {
      assertThat(refusal.getStatus().getCode()).isEqualTo(Status.Code.NOT_FOUND);
      return "";
    }
  }

  private static Set<String> idsIn(String text) {
    Set<String> ids = new HashSet<>();
    ID.matcher(text).results().forEach(found -> ids.add(found.group()));
    return ids;
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }
}
