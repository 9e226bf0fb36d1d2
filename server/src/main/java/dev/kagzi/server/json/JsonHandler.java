package dev.kagzi.server.json;

import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.ClientCalls;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.http.MimeTypes;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Fields;

/**
 * Answers calls that come as JSON. What takes a body must say that it is JSON: a web page of
 * another origin cannot say so unasked, so none can start anything here. Thread-safe.
 */
public final class JsonHandler extends Handler.Abstract {

  private static final String PREFIX = "/api/";
  private static final String DESCRIPTION = "/openapi.json";
  private static final String JSON = "application/json";

  /** A message of the contract and what JSON adds to it. */
  private static final int MAX_BODY_BYTES = 8 << 20;

  /** Longer than any call waits. */
  private static final Duration CALL_LIMIT = Duration.ofSeconds(65);

  private final Channel channel;
  private final Routes routes;
  private final RequestReader requests = new RequestReader();
  private final JsonErrors errors = new JsonErrors();
  private final JsonFormat.Printer printer =
      JsonFormat.printer().alwaysPrintFieldsWithNoPresence().omittingInsignificantWhitespace();
  private final String description;

  /**
   * Offers calls.
   *
   * @param channel where they are carried out
   */
  public JsonHandler(
      Channel channel, List<MethodDescriptor<Message, Message>> methods, String version) {
    this.channel = channel;
    this.routes = Routes.of(methods);
    this.description = new OpenApi(routes, version).write();
  }

  private record Answer(int status, String body) {}

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws IOException {
    String path = request.getHttpURI().getPath();
    if (path.equals(DESCRIPTION) && request.getMethod().equals("GET")) {
      send(response, new Answer(HttpStatus.OK_200, description), callback);
      return true;
    }
    if (!path.startsWith(PREFIX)) {
      return false;
    }
    Answer answer;
    try {
      answer =
          answer(
              request, response, Route.segments(path).stream().map(JsonHandler::decode).toList());
    } catch (BadJsonRequestException | IllegalArgumentException invalid) {
      answer =
          refusal(
              HttpStatus.BAD_REQUEST_400,
              Code.INVALID_ARGUMENT,
              String.valueOf(invalid.getMessage()));
    }
    send(response, answer, callback);
    return true;
  }

  private static String decode(String segment) {
    return URLDecoder.decode(segment.replace("+", "%2B"), StandardCharsets.UTF_8);
  }

  private Answer answer(Request request, Response response, List<String> path) throws IOException {
    Routes.Match match = routes.find(request.getMethod(), path);
    if (match == null) {
      return unknown(request, response, path);
    }
    String body = "";
    if (match.route().takesBody()) {
      if (!isJson(request)) {
        return refusal(
            HttpStatus.UNSUPPORTED_MEDIA_TYPE_415,
            Code.INVALID_ARGUMENT,
            "the body must be JSON (expected: the header 'Content-Type: application/json')");
      }
      byte[] read = body(request);
      if (read.length > MAX_BODY_BYTES) {
        response.getHeaders().put(HttpHeader.CONNECTION, "close");
        return refusal(
            HttpStatus.PAYLOAD_TOO_LARGE_413,
            Code.INVALID_ARGUMENT,
            "the body is too large (expected: at most %d bytes)".formatted(MAX_BODY_BYTES));
      }
      body = new String(read, StandardCharsets.UTF_8);
    }
    return call(match.route(), requests.read(match, query(request), body));
  }

  private Answer unknown(Request request, Response response, List<String> path) {
    Set<String> verbs = routes.verbs(path);
    if (verbs.isEmpty()) {
      return refusal(
          HttpStatus.NOT_FOUND_404,
          Code.NOT_FOUND,
          "there is nothing at this path (%s lists what there is)".formatted(DESCRIPTION));
    }
    response.getHeaders().put(HttpHeader.ALLOW, String.join(", ", verbs));
    return refusal(
        HttpStatus.METHOD_NOT_ALLOWED_405,
        Code.UNIMPLEMENTED,
        "%s is not possible here (expected: %s)"
            .formatted(request.getMethod(), String.join(", ", verbs)));
  }

  private static boolean isJson(Request request) {
    String type = request.getHeaders().get(HttpHeader.CONTENT_TYPE);
    return type != null && JSON.equalsIgnoreCase(MimeTypes.getBase(type));
  }

  private static byte[] body(Request request) throws IOException {
    try (InputStream in = Content.Source.asInputStream(request)) {
      return in.readNBytes(MAX_BODY_BYTES + 1);
    }
  }

  private static Map<String, List<String>> query(Request request) {
    var query = new LinkedHashMap<String, List<String>>();
    for (Fields.Field field : Request.extractQueryParameters(request)) {
      query.put(field.getName(), field.getValues());
    }
    return query;
  }

  private Answer call(Route route, Message request) throws IOException {
    try {
      Message response =
          ClientCalls.blockingUnaryCall(
              channel,
              route.method(),
              CallOptions.DEFAULT.withDeadlineAfter(CALL_LIMIT.toSeconds(), TimeUnit.SECONDS),
              request);
      return new Answer(HttpStatus.OK_200, PlainText.of(printer.print(response)));
    } catch (StatusRuntimeException failure) {
      com.google.rpc.Status status =
          StatusProto.fromStatusAndTrailers(failure.getStatus(), failure.getTrailers());
      int code = JsonErrors.httpStatus(status.getCode());
      return new Answer(code, errors.body(code, status));
    }
  }

  private Answer refusal(int httpStatus, Code code, String message) {
    return new Answer(httpStatus, errors.body(httpStatus, code, message));
  }

  private static void send(Response response, Answer answer, Callback callback) {
    response.setStatus(answer.status());
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, JSON);
    response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
    response.write(true, StandardCharsets.UTF_8.encode(answer.body()), callback);
  }
}
