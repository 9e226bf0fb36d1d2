package dev.kagzi.peers;

import dev.restate.sdk.endpoint.Endpoint;
import dev.restate.sdk.http.vertx.RestateHttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Objects;

/** A process that is a service of Restate. */
public final class RestateServiceProgram {
  /** Where the driver asks how many workflows have ended. */
  static final String ENDED_PATH = "/bench-ended";

  private RestateServiceProgram() {}

  /** Prints its port, and serves until the input ends. */
  public static void main(String[] arguments) throws IOException {
    var handlers = new RestateHandlers();
    var server = RestateHttpServer.fromEndpoint(Endpoint.bind(handlers.service()).build());
    var ofRestate = server.requestHandler();
    server.requestHandler(request -> {
      var path = Objects.requireNonNullElse(request.path(), "");
      if (path.equals(ENDED_PATH)) {
        request.response().end(Long.toString(handlers.ended()));
      } else {
        handlers.arrived(path);
        ofRestate.handle(request);
      }
    });
    var listening = server.listen(0, "127.0.0.1").toCompletionStage().toCompletableFuture().join();
    System.out.println("port " + listening.actualPort());
    System.in.transferTo(OutputStream.nullOutputStream());
    System.exit(0);
  }
}
