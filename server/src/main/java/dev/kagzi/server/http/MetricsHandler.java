package dev.kagzi.server.http;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** What Prometheus reads ({@code GET /metrics}). Thread-safe. */
public final class MetricsHandler extends Handler.Abstract {

  private static final String PATH = "/metrics";
  private static final String TEXT_FORMAT = "text/plain; version=0.0.4; charset=utf-8";

  private final Supplier<String> metrics;

  /**
   * Answers from what it is given.
   *
   * @param metrics all of them in the text format
   */
  public MetricsHandler(Supplier<String> metrics) {
    this.metrics = metrics;
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    if (!PATH.equals(Request.getPathInContext(request))) {
      return false;
    }
    if (HttpMethod.GET.is(request.getMethod())) {
      response.getHeaders().put(HttpHeader.CONTENT_TYPE, TEXT_FORMAT);
      byte[] body = metrics.get().getBytes(StandardCharsets.UTF_8);
      response.write(true, ByteBuffer.wrap(body), callback);
    } else {
      response.getHeaders().put(HttpHeader.ALLOW, HttpMethod.GET.asString());
      Response.writeError(request, response, callback, HttpStatus.METHOD_NOT_ALLOWED_405);
    }
    return true;
  }
}
