package dev.kagzi.server.fuzz;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.UnknownFieldSet;
import dev.kagzi.server.TestServer;
import dev.kagzi.server.grpc.RawCalls;
import dev.kagzi.server.json.HttpForm;
import dev.kagzi.v1.AskCall;
import dev.kagzi.v1.AskRequest;
import dev.kagzi.v1.WorkCall;
import dev.kagzi.v1.WorkHello;
import dev.kagzi.v1.WorkRequest;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;

/** One who sends bad requests, one after the other, and notes what he is answered. */
final class Fuzzer {

  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final int FRAMES = 4;

  /** One in so many is not changed, so that each method is also seen at work. */
  private static final int AS_IT_IS = 10;

  private final TestServer server;
  private final Targets targets;
  private final Channel channel;
  private final HttpClient http;
  private final Random random;
  private final List<String> seen;
  private final Answers answers;

  /**
   * Makes one.
   *
   * @param seen ids that any of them has used
   * @param answers what any of them was answered
   */
  Fuzzer(
      TestServer server,
      Targets targets,
      HttpClient http,
      long seed,
      List<String> seen,
      Answers answers) {
    this.server = server;
    this.targets = targets;
    this.channel = server.channel();
    this.http = http;
    this.random = new Random(seed);
    this.seen = seen;
    this.answers = answers;
  }

  /** Sends something, or finds that it cannot; what was wrong with the answer, if anything was. */
  Optional<String> next() {
    int dice = random.nextInt(100);
    if (dice < 65) {
      return unary();
    } else if (dice < 85) {
      return json();
    } else if (dice < 92) {
      return odd();
    }
    return stream();
  }

  private Optional<String> unary() {
    List<MethodDescriptor<?, ?>> methods = targets.methods();
    MethodDescriptor<?, ?> method = methods.get(random.nextInt(methods.size()));
    byte[] request = mutated(Targets.nameOf(method));
    Optional<String> fault = Verdict.on(call(method, request));
    targets.afterwards(Targets.nameOf(method));
    return fault.map(what -> {
      byte[] smallest = Smallest.of(request, less -> Verdict.on(call(method, less)).isPresent());
      return "%s: %s%n  %s%n  %s"
          .formatted(
              method.getFullMethodName(),
              what,
              Base64.getEncoder().encodeToString(smallest),
              readable(smallest));
    });
  }

  private static String readable(byte[] request) {
    try {
      return UnknownFieldSet.parseFrom(request).toString().replaceAll("\\s+", " ");
    } catch (InvalidProtocolBufferException broken) {
      return "(no message)";
    }
  }

  private byte[] mutated(String method) {
    Message good = targets.request(method);
    remember(good);
    if (random.nextInt(AS_IT_IS) == 0) {
      return good.toByteArray();
    }
    Message mutated = new Mutations(random, seen).of(good);
    return random.nextInt(4) == 0 ? new WireFaults(random).of(mutated) : mutated.toByteArray();
  }

  /** Ids of all requests are tried in others, where they are wrong or of somebody else. */
  private void remember(Message good) {
    good.getAllFields()
        .forEach((field, value) -> {
          if (field.getName().endsWith("_id")
              && value instanceof String text
              && seen.size() < 2000) {
            seen.add(text);
          }
        });
  }

  /** Long polls are not waited for. */
  private Status call(MethodDescriptor<?, ?> method, byte[] request) {
    String name = Targets.nameOf(method);
    boolean waits = name.equals("PollTask") || name.equals("AwaitWorkflow");
    Duration limit = waits ? Duration.ofMillis(1 + random.nextInt(100)) : LIMIT;
    Channel with =
        random.nextInt(10) == 0
            ? ClientInterceptors.intercept(
                channel, MetadataUtils.newAttachHeadersInterceptor(metadata()))
            : channel;
    Status status;
    try {
      byte[] unused =
          ClientCalls.blockingUnaryCall(
              with,
              RawCalls.raw(method),
              CallOptions.DEFAULT.withDeadlineAfter(limit.toNanos(), TimeUnit.NANOSECONDS),
              request);
      status = Status.OK;
    } catch (StatusRuntimeException refusal) {
      status = refusal.getStatus();
    }
    answers.ofCall(name, status.getCode());
    return status;
  }

  private Metadata metadata() {
    Metadata metadata = new Metadata();
    int entries = 1 + random.nextInt(5);
    for (int i = 0; i < entries; i++) {
      byte[] bytes = new byte[random.nextInt(100)];
      random.nextBytes(bytes);
      metadata.put(
          Metadata.Key.of("x-" + random.nextInt(1000) + "-bin", Metadata.BINARY_BYTE_MARSHALLER),
          bytes);
    }
    for (String key : List.of("traceparent", "authorization", "content-length", "cookie")) {
      if (random.nextInt(4) == 0) {
        metadata.put(
            Metadata.Key.of(key, Metadata.ASCII_STRING_MARSHALLER), "~" + random.nextLong());
      }
    }
    return metadata;
  }

  private Optional<String> json() {
    List<MethodDescriptor<?, ?>> methods = targets.methods();
    MethodDescriptor<?, ?> method = methods.get(random.nextInt(methods.size()));
    String name = Targets.nameOf(method);
    if (name.equals("PollTask") || name.equals("AwaitWorkflow")) {
      return Optional.empty();
    }
    Message request = targets.request(name);
    if (random.nextBoolean()) {
      request = new Mutations(random, seen).of(request);
    }
    List<HttpForm> forms;
    try {
      forms = HttpForm.all(method, request);
    } catch (IllegalArgumentException unprintable) {
      return Optional.empty();
    }
    if (forms.isEmpty()) {
      return Optional.empty();
    }
    HttpForm form = forms.get(random.nextInt(forms.size()));
    String body = form.body() == null ? null : new JsonFaults(random).of(form.body());
    Optional<String> fault = send(new HttpForm(form.verb(), form.path(), body));
    targets.afterwards(name);
    return fault;
  }

  private Optional<String> send(HttpForm form) {
    String body = form.body();
    HttpRequest.Builder request;
    try {
      request =
          HttpRequest.newBuilder(
              URI.create(
                  "http://localhost:%d%s".formatted(server.server().httpPort(), form.path())));
    } catch (IllegalArgumentException noAddress) {
      return Optional.empty();
    }
    request.timeout(LIMIT);
    if (body != null) {
      request.header("Content-Type", "application/json");
    }
    request.method(
        form.verb(), body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
    try {
      HttpResponse<String> response = http.send(request.build(), BodyHandlers.ofString());
      answers.ofHttp(response.statusCode());
      String said = response.body();
      boolean words = response.statusCode() == 200 || said.contains("\"message\"");
      return Verdict.onHttp(response.statusCode(), said)
          .or(() -> words ? Optional.empty() : Optional.of("no words: " + response))
          .map(what -> "%s %s%n  %s%n  %s".formatted(form.verb(), form.path(), body, what));
    } catch (IOException cut) {
      return Optional.of("%s %s: %s%n  %s".formatted(form.verb(), form.path(), cut, body));
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  private Optional<String> odd() {
    OddHttp odd = new OddHttp(random, server.server().httpPort());
    String request = odd.next();
    int status = odd.send(request);
    answers.ofOddHttp(status);
    return Verdict.onHttp(status, "").map(what -> what + " to " + request);
  }

  /** A stream with a few frames of good, bad and broken calls. */
  private Optional<String> stream() {
    return random.nextInt(3) == 0 ? clientStream() : workerStream();
  }

  private Optional<String> workerStream() {
    List<ByteString> frames = new ArrayList<>();
    String worker =
        targets.request("GetWorker").getAllFields().values().iterator().next().toString();
    WorkRequest.Builder hello =
        WorkRequest.newBuilder().setHello(WorkHello.newBuilder().setWorkerId(worker));
    frames.add(hello.build().toByteString());
    addFrames(
        frames,
        WorkCall.getDescriptor(),
        (call, request) ->
            WorkRequest.newBuilder()
                .addCalls(
                    WorkCall.newBuilder()
                        .setCorrelationId(random.nextInt(3))
                        .setField(call, request))
                .build());
    return send(RawStream.Kind.WORK, frames);
  }

  private Optional<String> clientStream() {
    List<ByteString> frames = new ArrayList<>();
    addFrames(
        frames,
        AskCall.getDescriptor(),
        (call, request) ->
            AskRequest.newBuilder()
                .addCalls(
                    AskCall.newBuilder()
                        .setCorrelationId(random.nextInt(3))
                        .setField(call, request))
                .build());
    return send(RawStream.Kind.ASK, frames);
  }

  private void addFrames(
      List<ByteString> frames,
      Descriptor kind,
      BiFunction<FieldDescriptor, Message, Message> toFrame) {
    List<FieldDescriptor> calls = kind.getOneofs().get(0).getFields();
    int wanted = random.nextInt(FRAMES);
    for (int i = 0; i < wanted; i++) {
      FieldDescriptor call = calls.get(random.nextInt(calls.size()));
      String type = call.getMessageType().getName();
      Message request =
          new Mutations(random, seen)
              .of(targets.request(type.substring(0, type.length() - "Request".length())));
      Message frame = toFrame.apply(call, request);
      frames.add(
          random.nextInt(5) == 0
              ? ByteString.copyFrom(new WireFaults(random).of(frame))
              : frame.toByteString());
    }
  }

  private Optional<String> send(RawStream.Kind kind, List<ByteString> frames) {
    RawStream.Outcome outcome = RawStream.send(channel, kind, frames);
    answers.ofStream(outcome.end().getCode());
    Optional<String> fault =
        outcome.errors().stream()
            .map(error ->
                Verdict.on(Status.fromCodeValue(error.getCode()).getCode(), error.getMessage()))
            .flatMap(Optional::stream)
            .findFirst()
            .or(() -> Verdict.on(outcome.end()));
    return fault.map(
        what -> "%s: %s%n  %s".formatted(kind.method().getBareMethodName(), what, frames));
  }
}
