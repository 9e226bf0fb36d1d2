package dev.kagzi.server.json;

import com.google.protobuf.Message;
import dev.kagzi.server.TestServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Asks a server over HTTP as a program without gRPC would. */
final class JsonClient implements AutoCloseable {

  private final HttpClient http = HttpClient.newHttpClient();
  private final JsonMapper json = JsonMapper.builder().build();
  private final TestServer server;

  JsonClient(TestServer server) {
    this.server = server;
  }

  /** What came back. */
  record Reply(int status, JsonNode body, HttpResponse<String> response) {

    String error() {
      return body.at("/error/message").asString("");
    }

    String reason() {
      return body.at("/error/details/0/reason").asString("");
    }
  }

  Reply get(String path) {
    return send(request(path).GET());
  }

  Reply post(String path, String body) {
    return send(
        request(path)
            .header("Content-Type", "application/json; charset=utf-8")
            .POST(BodyPublishers.ofString(body)));
  }

  HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(
        URI.create("http://localhost:%d%s".formatted(server.server().httpPort(), path)));
  }

  Reply send(HttpRequest.Builder request) {
    try {
      HttpResponse<String> response = http.send(request.build(), BodyHandlers.ofString());
      return new Reply(response.statusCode(), json.readTree(response.body()), response);
    } catch (IOException failure) {
      throw new AssertionError(failure);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new AssertionError(interrupted);
    }
  }

  /** Sends a request of the contract by one of its routes. */
  Reply call(Route route, Message message) throws IOException {
    HttpForm form = HttpForm.of(route, message);
    String body = form.body();
    return body == null
        ? send(request(form.path()).method(form.verb(), BodyPublishers.noBody()))
        : send(
            request(form.path())
                .header("Content-Type", "application/json")
                .method(form.verb(), BodyPublishers.ofString(body)));
  }

  @Override
  public void close() {
    http.close();
  }
}
