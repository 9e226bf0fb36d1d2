package dev.kagzi.server;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** What {@code /metrics} said once. */
public record Scrape(Map<String, Double> series, Set<String> families) {

  private static final HttpClient HTTP = HttpClient.newHttpClient();

  public static Scrape of(TestServer server) {
    return parse(get(server).body());
  }

  public static HttpResponse<String> get(TestServer server) {
    return send(server, "GET");
  }

  public static HttpResponse<String> send(TestServer server, String method) {
    var uri = URI.create("http://localhost:%d/metrics".formatted(server.server().httpPort()));
    var nothing = HttpRequest.BodyPublishers.noBody();
    try {
      return HTTP.send(
          HttpRequest.newBuilder(uri).method(method, nothing).build(), BodyHandlers.ofString());
    } catch (IOException failure) {
      throw new AssertionError(failure);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new AssertionError(interrupted);
    }
  }

  public static Scrape parse(String text) {
    Map<String, Double> series = new LinkedHashMap<>();
    Set<String> families = new TreeSet<>();
    for (String line : text.lines().toList()) {
      if (line.startsWith("# TYPE ")) {
        families.add(line.split(" ", -1)[2]);
      } else if (!line.startsWith("#")) {
        int space = line.lastIndexOf(' ');
        series.put(line.substring(0, space), Double.valueOf(line.substring(space + 1)));
      }
    }
    return new Scrape(series, families);
  }

  /** The value of a series, zero if it has not begun. */
  public double value(String name) {
    return series.getOrDefault(name, 0.0);
  }

  /** How many series a metric has. */
  public long count(String name) {
    return series.keySet().stream()
        .filter(key -> key.equals(name) || key.startsWith(name + "{"))
        .count();
  }

  /** The same of all of them. */
  public double sum(String name) {
    return series.entrySet().stream()
        .filter(entry -> entry.getKey().equals(name) || entry.getKey().startsWith(name + "{"))
        .mapToDouble(Map.Entry::getValue)
        .sum();
  }
}
