package dev.kagzi.peers;

import dev.kagzi.bench.driver.Ability;
import dev.kagzi.bench.driver.Contender;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;

/** Restate, as a client of its HTTP ingress sees it. */
final class RestateContender implements Contender {
  private static final Pattern COUNT = Pattern.compile("\"n\":(\\d+)");
  private static final String UNFINISHED =
      "SELECT count(*) AS n FROM sys_invocation_status WHERE status <> 'completed'";
  private static final int FIRST_ERROR = 300;
  private static final long LOOK_MILLIS = 10;

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final String ingress;
  private final String admin;
  private final String service;
  private final AtomicLong asked = new AtomicLong();

  /**
   * A client.
   *
   * @param ingress where work is handed in
   * @param admin where one can ask what is under way
   * @param service the service itself, which knows how many workflows it has ended
   */
  RestateContender(String ingress, String admin, String service) {
    this.ingress = ingress + "/" + RestateHandlers.SERVICE + "/";
    this.admin = admin;
    this.service = service;
  }

  @Override
  public Set<Ability> abilities() {
    return EnumSet.allOf(Ability.class);
  }

  @Override
  public void start(int steps) throws IOException, InterruptedException {
    invoke(RestateHandlers.STEPS + "/send", steps);
    asked.incrementAndGet();
  }

  /** The service is asked first, because it is cheap; the server has the last word. */
  @Override
  public void awaitAll() throws IOException, InterruptedException {
    var ended = HttpRequest.newBuilder(URI.create(service + RestateServiceProgram.ENDED_PATH));
    while (Long.parseLong(send(ended.build())) < asked.get()) {
      Thread.sleep(LOOK_MILLIS);
    }
    while (unfinished() > 0) {
      Thread.sleep(LOOK_MILLIS);
    }
  }

  private long unfinished() throws IOException, InterruptedException {
    var answer =
        send(
            HttpRequest.newBuilder(URI.create(admin + "/query"))
                .header("content-type", "application/json")
                .header("accept", "application/json")
                .POST(BodyPublishers.ofString("{\"query\":\"" + UNFINISHED + "\"}"))
                .build());
    var matcher = COUNT.matcher(answer);
    if (!matcher.find()) {
      throw new IOException("no count in " + answer);
    }
    return Long.parseLong(matcher.group(1));
  }

  @Override
  public void startAndAwait(int steps) throws IOException, InterruptedException {
    invoke(RestateHandlers.STEPS, steps);
    asked.incrementAndGet();
  }

  /** Each time is an invocation of its own, because the server waits longer each time. */
  @Override
  public double[] replay(int steps, int times) throws IOException, InterruptedException {
    var millis = new double[times];
    for (int i = 0; i < times; i++) {
      millis[i] = Double.parseDouble(invoke(RestateHandlers.REPLAY, steps).replace("\"", ""));
    }
    return millis;
  }

  @Override
  public void fanOutSteps(int steps) throws IOException, InterruptedException {
    invoke(RestateHandlers.PARALLEL, steps);
  }

  @Override
  public void fanOutChildren(int children) throws IOException, InterruptedException {
    invoke(RestateHandlers.PARENT, children);
  }

  private String invoke(String handler, int number) throws IOException, InterruptedException {
    return send(
        HttpRequest.newBuilder(URI.create(ingress + handler))
            .header("content-type", "application/json")
            .POST(BodyPublishers.ofString(Integer.toString(number)))
            .build());
  }

  private String send(HttpRequest request) throws IOException, InterruptedException {
    var response = client.send(request, BodyHandlers.ofString());
    if (response.statusCode() >= FIRST_ERROR) {
      throw new IOException(
          "%s answered %d %s".formatted(request.uri(), response.statusCode(), response.body()));
    }
    return response.body();
  }

  @Override
  public void close() {
    client.close();
  }
}
