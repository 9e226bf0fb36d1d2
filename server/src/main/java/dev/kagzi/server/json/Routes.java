package dev.kagzi.server.json;

import com.google.protobuf.Message;
import io.grpc.MethodDescriptor;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** All routes of the contract. Thread-safe. */
final class Routes {

  private final List<Route> all;

  /** A route and what the path says about its variables. */
  record Match(Route route, Map<String, String> variables) {}

  Routes(List<Route> all) {
    this.all = all.stream().sorted(Comparator.comparingInt(Route::literals).reversed()).toList();
  }

  /** The routes of calls. */
  static Routes of(List<MethodDescriptor<Message, Message>> methods) {
    return new Routes(methods.stream().flatMap(method -> Route.of(method).stream()).toList());
  }

  List<Route> all() {
    return all;
  }

  /**
   * The route of a request; null if there is none.
   *
   * @param path its segments, decoded
   */
  @Nullable Match find(String verb, List<String> path) {
    var variables = new HashMap<String, String>();
    for (Route route : all) {
      if (route.verb().equals(verb) && route.matches(path, variables)) {
        return new Match(route, variables);
      }
    }
    return null;
  }

  /** What may be done with a path. */
  Set<String> verbs(List<String> path) {
    var verbs = new TreeSet<String>();
    all.stream()
        .filter(route -> route.matches(path, new HashMap<>()))
        .forEach(route -> verbs.add(route.verb()));
    return verbs;
  }
}
