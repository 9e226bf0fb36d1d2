package dev.kagzi.server.http;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * Refuses requests that were meant for a foreign name. A server on the loopback address is reached
 * by its address or as localhost; a web page whose own name was made to lead here is not let in.
 */
final class OwnHosts extends Handler.Wrapper {

  private static final byte[] REFUSAL =
      """
      {"error":{"code":421,"status":"PERMISSION_DENIED","message":"this server listens on the \
      loopback address only (expected: localhost or the address as host)"}}
      """
          .strip()
          .getBytes(StandardCharsets.UTF_8);

  OwnHosts(Handler next) {
    super(next);
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    if (isOwn(Request.getServerName(request))) {
      return super.handle(request, response, callback);
    }
    response.setStatus(HttpStatus.MISDIRECTED_REQUEST_421);
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json");
    response.write(true, ByteBuffer.wrap(REFUSAL), callback);
    return true;
  }

  /** Names other than localhost have letters, and addresses have digits, dots and colons. */
  private static boolean isOwn(String host) {
    return host.equalsIgnoreCase("localhost")
        || host.startsWith("[")
        || host.chars().allMatch(c -> "0123456789.:".indexOf(c) >= 0);
  }
}
