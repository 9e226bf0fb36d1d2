package dev.kagzi.server.http;

import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * Says with an answer that its connection will be closed, if a part of the request has not come
 * until then: whoever is refused for his path or his verb may still be sending what he wanted. A
 * client that is not told sends its next request into a connection that ends.
 */
final class HonestClosing extends Handler.Wrapper {

  HonestClosing(Handler next) {
    super(next);
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    return super.handle(request, new Answer(request, response), callback);
  }

  private static final class Answer extends Response.Wrapper {
    Answer(Request request, Response response) {
      super(request, response);
    }

    @Override
    public void write(boolean last, ByteBuffer content, Callback callback) {
      if (!isCommitted() && !getRequest().consumeAvailable()) {
        getHeaders().put(HttpHeader.CONNECTION, "close");
      }
      super.write(last, content, callback);
    }
  }
}
