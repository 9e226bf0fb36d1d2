package dev.kagzi.server.http;

import java.nio.ByteBuffer;
import java.util.Map;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import tools.jackson.databind.json.JsonMapper;

/** What the HTTP server itself says to requests that no handler could answer: JSON as well. */
final class ErrorBodies implements Request.Handler {

  private final JsonMapper json = JsonMapper.builder().build();

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    int status = response.getStatus();
    // Whatever went wrong inside is for the log, not for the caller.
    String message = HttpStatus.getMessage(status);
    byte[] body =
        json.writeValueAsBytes(Map.of("error", Map.of("code", status, "message", message)));
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json");
    response.write(true, ByteBuffer.wrap(body), callback);
    return true;
  }
}
