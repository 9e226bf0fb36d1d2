package dev.kagzi.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import dev.kagzi.server.TestServer;
import dev.kagzi.server.grpc.RawCalls.Answer;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** A refusal reaches its caller however much is wrong with a request. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ManyFaultsTest {

  /** As many as a list may have, and more. */
  private static final List<Integer> MANY = List.of(200, 20_000);

  private TestServer server;

  @BeforeAll
  void start() {
    server = TestServer.start();
  }

  @AfterAll
  void stop() {
    server.close();
  }

  @Test
  void manyFaultyEntriesAreRefusedInAnyListOfTheContract() {
    var calls = new RawCalls(server.channel());
    var good = new GoodRequests(server);
    List<String> improper = new ArrayList<>();
    int[] refused = {0};
    BadInputTest.methods()
        .forEach(method ->
            withManyEntries(good.request(nameOf(method)))
                .forEach(request -> {
                  Answer answer = calls.call(method, request.toByteArray());
                  if (!answer.isProper()) {
                    improper.add(nameOf(method) + ": " + answer.code() + " " + answer.message());
                  }
                  refused[0] += answer.code() == Status.Code.INVALID_ARGUMENT ? 1 : 0;
                }));

    assertThat(improper).isEmpty();
    assertThat(refused[0]).isGreaterThan(10);
  }

  private static String nameOf(MethodDescriptor<?, ?> method) {
    return String.valueOf(method.getBareMethodName());
  }

  /** For each list of a request, the request with many empty entries in it. */
  private static List<Message> withManyEntries(Message request) {
    List<Message> all = new ArrayList<>();
    for (FieldDescriptor field : request.getDescriptorForType().getFields()) {
      if (field.isRepeated() && !field.isMapField()) {
        Object entry = emptyEntry(request, field);
        MANY.forEach(many ->
            all.add(request.toBuilder().setField(field, Collections.nCopies(many, entry)).build()));
      }
    }
    return all;
  }

  private static Object emptyEntry(Message request, FieldDescriptor field) {
    return switch (field.getJavaType()) {
      case MESSAGE -> request.newBuilderForType().newBuilderForField(field).build();
      case STRING -> "";
      case ENUM -> field.getEnumType().findValueByNumberCreatingIfUnknown(99);
      default -> throw new AssertionError("no empty " + field);
    };
  }
}
