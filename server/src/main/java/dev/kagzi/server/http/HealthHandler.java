package dev.kagzi.server.http;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import tools.jackson.databind.json.JsonMapper;

/**
 * Says whether the process lives ({@code /healthz}) and whether it should be sent work ({@code
 * /readyz}, with the reasons when it should not). Thread-safe.
 */
public final class HealthHandler extends Handler.Abstract.NonBlocking {

  private static final String JSON = "application/json";
  private static final byte[] OK = "ok".getBytes(StandardCharsets.UTF_8);
  private static final String TEXT = "text/plain;charset=utf-8";

  private final JsonMapper json = JsonMapper.builder().build();
  private final Supplier<List<String>> obstacles;

  /**
   * Answers from what it is given.
   *
   * @param obstacles what keeps the server from working now, each in words; must not block
   */
  public HealthHandler(Supplier<List<String>> obstacles) {
    this.obstacles = obstacles;
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    boolean reading =
        HttpMethod.GET.is(request.getMethod()) || HttpMethod.HEAD.is(request.getMethod());
    switch (reading ? Request.getPathInContext(request) : "") {
      case "/healthz" -> send(response, HttpStatus.OK_200, TEXT, OK, callback);
      case "/readyz" -> sendReadiness(response, callback);
      default ->
          sendJson(
              response,
              HttpStatus.NOT_FOUND_404,
              Map.of("error", Map.of("code", HttpStatus.NOT_FOUND_404, "message", "Not Found")),
              callback);
    }
    return true;
  }

  private void sendReadiness(Response response, Callback callback) {
    List<String> reasons = obstacles.get();
    boolean ready = reasons.isEmpty();
    sendJson(
        response,
        ready ? HttpStatus.OK_200 : HttpStatus.SERVICE_UNAVAILABLE_503,
        Map.of("ready", ready, "reasons", reasons),
        callback);
  }

  private void sendJson(Response response, int status, Object body, Callback callback) {
    send(response, status, JSON, json.writeValueAsBytes(body), callback);
  }

  private static void send(
      Response response, int status, String type, byte[] body, Callback callback) {
    response.setStatus(status);
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, type);
    response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
    response.write(true, ByteBuffer.wrap(body), callback);
  }
}
