package dev.kagzi.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Message;
import com.google.protobuf.UnknownFieldSet;
import dev.kagzi.server.TestServer;
import dev.kagzi.server.config.ConfigKeys;
import dev.kagzi.server.grpc.BadInputs.Bad;
import dev.kagzi.server.grpc.RawCalls.Answer;
import dev.kagzi.v1.AdminServiceGrpc;
import dev.kagzi.v1.NamespaceServiceGrpc;
import dev.kagzi.v1.WorkCall;
import dev.kagzi.v1.WorkReply;
import dev.kagzi.v1.WorkerServiceGrpc;
import dev.kagzi.v1.WorkflowScheduleServiceGrpc;
import dev.kagzi.v1.WorkflowServiceGrpc;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Whatever is wrong with a request, it is answered with a code that says whose fault it is and a
 * reason that a program can read. The requests are made from the contract itself, so that a field
 * that is added to it is tried too.
 */
@Order(1)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BadInputTest {

  private static final int FRAME_BYTES = 1024 * 1024;
  private static final int MESSAGE_BYTES = 4 * FRAME_BYTES;
  private static final byte[] BROKEN_TEXT = {(byte) 0xC3, (byte) 0x28};

  private TestServer server;
  private RawCalls calls;
  private GoodRequests good;

  @BeforeAll
  void start() {
    server =
        TestServer.start(settings -> settings.set(ConfigKeys.POLL_TIMEOUT, Duration.ofSeconds(1)));
    calls = new RawCalls(server.channel());
    good = new GoodRequests(server);
  }

  @AfterAll
  void stop() {
    server.close();
  }

  /** All that can be called with one request. */
  static Stream<MethodDescriptor<?, ?>> methods() {
    return Stream.of(
            WorkflowServiceGrpc.getServiceDescriptor(),
            WorkerServiceGrpc.getServiceDescriptor(),
            WorkflowScheduleServiceGrpc.getServiceDescriptor(),
            AdminServiceGrpc.getServiceDescriptor(),
            NamespaceServiceGrpc.getServiceDescriptor())
        .flatMap(service -> service.getMethods().stream())
        .filter(method -> method.getType() == MethodDescriptor.MethodType.UNARY);
  }

  @Test
  void nothingOfTheContractIsUnimplemented() {
    List<String> unimplemented =
        methods()
            .filter(method -> calls.call(method, new byte[0]).code() == Status.Code.UNIMPLEMENTED)
            .map(method -> String.valueOf(method.getBareMethodName()))
            .toList();

    assertThat(unimplemented).isEmpty();
  }

  @Test
  void everyFaultIsAnsweredWithAReasonAndAllFaultsAtOnce() {
    Queue<String> wrong = new ConcurrentLinkedQueue<>();
    Map<String, Integer> tried = new ConcurrentHashMap<>();
    try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
      methods()
          .forEach(method ->
              executor.execute(() -> {
                try {
                  tried.put(String.valueOf(method.getBareMethodName()), tryAll(method, wrong));
                } catch (RuntimeException | Error failure) {
                  wrong.add(method.getBareMethodName() + ": " + failure);
                }
              }));
    }

    assertThat(wrong).isEmpty();
    assertThat(tried)
        .hasSize((int) methods().count())
        .allSatisfy((method, n) -> assertThat(n).isGreaterThan(3 * fieldsOf(good.request(method))));
  }

  private static int fieldsOf(Message request) {
    return request.getDescriptorForType().getFields().size();
  }

  /** Sends every variant of a request, and in the end one with everything that was refused. */
  private int tryAll(MethodDescriptor<?, ?> method, Queue<String> wrong) {
    String name = String.valueOf(method.getBareMethodName());
    Message whole = good.request(name);
    List<Bad> all = BadInputs.of(whole);
    Map<FieldDescriptor, Bad> refused = new LinkedHashMap<>();
    Set<String> named = ConcurrentHashMap.newKeySet();
    for (int i = 0; i < all.size(); i++) {
      Bad bad = all.get(i);
      Answer answer = calls.call(method, bad.request().toByteArray());
      if (!answer.isProper()) {
        wrong.add("%s with %s: %s".formatted(name, bad.what(), answer));
      }
      if (answer.code() == Status.Code.OK && GoodRequests.isUsedUp(name)) {
        all = BadInputs.of(good.request(name));
      } else if (answer.fields().size() == 1) {
        fieldOf(whole, bad)
            .filter(field -> fitsIntoAMessage(refused.values(), bad))
            .filter(field -> refused.putIfAbsent(field, bad) == null)
            .ifPresent(field -> named.addAll(answer.fields()));
      }
    }
    tryTogether(method, whole, refused, named, wrong);
    return all.size();
  }

  /** Two payloads that are too large each would be refused by gRPC before anybody reads them. */
  private static boolean fitsIntoAMessage(Collection<Bad> others, Bad bad) {
    long bytes = bad.request().getSerializedSize();
    for (Bad other : others) {
      bytes += other.request().getSerializedSize();
    }
    return bytes < MESSAGE_BYTES;
  }

  /** The field of the request in which the fault lies, unless it is that nothing stands there. */
  private static Optional<FieldDescriptor> fieldOf(Message whole, Bad bad) {
    if (bad.what().endsWith("absent") || bad.what().endsWith("= ")) {
      return Optional.empty();
    }
    return whole.getDescriptorForType().getFields().stream()
        .filter(field -> field.getContainingOneof() == null)
        .filter(field -> bad.what().matches(field.getName() + "\\b.*"))
        .findFirst();
  }

  private void tryTogether(
      MethodDescriptor<?, ?> method,
      Message whole,
      Map<FieldDescriptor, Bad> refused,
      Set<String> named,
      Queue<String> wrong) {
    Message.Builder together = whole.toBuilder();
    refused.forEach((field, bad) -> together.setField(field, bad.request().getField(field)));
    Answer answer = calls.call(method, together.build().toByteArray());
    if (!answer.isProper() || !answer.fields().containsAll(named)) {
      wrong.add("%s with all of %s: %s".formatted(method.getBareMethodName(), named, answer));
    }
  }

  @Test
  void oneBadCallOnAStreamHarmsNoOther() {
    String worker = good.workerId();
    var stream = WorkStreamClient.open(server.channel(), worker);
    List<String> wrong = new ArrayList<>();
    Map<CompletableFuture<WorkReply>, String> sent = new LinkedHashMap<>();
    for (FieldDescriptor call : callFields()) {
      List<Bad> all = new ArrayList<>(BadInputs.of(good.request(methodOf(call))));
      // A good one at the end of each sort, which must be answered as if nothing had happened.
      all.add(new Bad("nothing", good.request(methodOf(call))));
      send(stream, call, all, sent);
      CompletableFuture<WorkReply> last = null;
      for (var reply : sent.keySet()) {
        last = reply;
      }
      if (last == null || stream.answerOf(last).hasError()) {
        wrong.add(call.getName() + ": a good call was refused");
      }
    }

    sent.forEach((reply, what) -> {
      WorkReply answer = stream.answerOf(reply);
      if (answer.hasError() && !Answer.of(answer.getError()).isProper()) {
        wrong.add(what + ": " + Answer.of(answer.getError()));
      }
    });
    assertThat(wrong).isEmpty();
    assertThat(sent).hasSizeGreaterThan(500);
    stream.halfClose();
    assertThat(stream.end()).isEqualTo(Status.OK);
  }

  private static void send(
      WorkStreamClient stream,
      FieldDescriptor call,
      List<Bad> all,
      Map<CompletableFuture<WorkReply>, String> sent) {
    List<WorkCall.Builder> frame = new ArrayList<>();
    int bytes = 0;
    for (Bad bad : all) {
      bytes += bad.request().getSerializedSize();
      if (bytes > FRAME_BYTES && !frame.isEmpty()) {
        stream.sendAll(frame).forEach(reply -> sent.put(reply, call.getName()));
        frame.clear();
        bytes = bad.request().getSerializedSize();
      }
      frame.add(WorkCall.newBuilder().setField(call, bad.request()));
    }
    stream.sendAll(frame).forEach(reply -> sent.put(reply, call.getName()));
  }

  private static List<FieldDescriptor> callFields() {
    return WorkCall.getDescriptor().getOneofs().get(0).getFields();
  }

  private static String methodOf(FieldDescriptor call) {
    String request = call.getMessageType().getName();
    return request.substring(0, request.length() - "Request".length());
  }

  @Test
  void bytesThatAreNoRequestAreTheCallersFault() {
    List<String> wrong = new ArrayList<>();
    methods()
        .forEach(method -> {
          Descriptor type =
              good.request(String.valueOf(method.getBareMethodName())).getDescriptorForType();
          List<byte[]> broken = new ArrayList<>();
          broken.add(new byte[] {0x0A, 0x7F, 1});
          broken.add(new byte[] {0x07});
          brokenTexts(type, 2).forEach(bytes -> broken.add(bytes.toByteArray()));
          for (byte[] bytes : broken) {
            Answer answer = calls.call(method, bytes);
            if (answer.code() != Status.Code.INVALID_ARGUMENT || !answer.isProper()) {
              wrong.add(method.getBareMethodName() + ": " + answer);
            }
          }
        });

    assertThat(wrong).isEmpty();
  }

  /** Messages in which one text, here or further inside, is not UTF-8. */
  private static List<ByteString> brokenTexts(Descriptor type, int depth) {
    List<ByteString> all = new ArrayList<>();
    for (FieldDescriptor field : type.getFields()) {
      if (field.getJavaType() == JavaType.STRING) {
        all.add(field(field, ByteString.copyFrom(BROKEN_TEXT)));
      } else if (field.getJavaType() == JavaType.MESSAGE && depth > 0) {
        brokenTexts(field.getMessageType(), depth - 1)
            .forEach(inner -> all.add(field(field, inner)));
      }
    }
    return all;
  }

  private static ByteString field(FieldDescriptor field, ByteString value) {
    return UnknownFieldSet.newBuilder()
        .addField(
            field.getNumber(), UnknownFieldSet.Field.newBuilder().addLengthDelimited(value).build())
        .build()
        .toByteString();
  }

  @Test
  void aRequestOfMoreThanFourMegabytesIsTheCallersFault() {
    byte[] large =
        UnknownFieldSet.newBuilder()
            .addField(
                1000,
                UnknownFieldSet.Field.newBuilder()
                    .addLengthDelimited(ByteString.copyFrom(new byte[4 * 1024 * 1024]))
                    .build())
            .build()
            .toByteArray();

    assertThat(methods())
        .extracting(method -> calls.call(method, large).code())
        .containsOnly(Status.Code.RESOURCE_EXHAUSTED);
  }
}
