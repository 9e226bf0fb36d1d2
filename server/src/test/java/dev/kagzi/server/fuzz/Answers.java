package dev.kagzi.server.fuzz;

import io.grpc.Status.Code;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How often was answered what. Where the server hung up, or the time to answer had run out, nobody
 * has answered: that is shown, and not counted as a request. Thread-safe.
 */
final class Answers {

  private final ConcurrentHashMap<String, Integer> ways = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<String, Integer> carriedOut = new ConcurrentHashMap<>();
  private final AtomicLong count = new AtomicLong();

  void ofCall(String method, Code code) {
    note(code.name(), code != Code.DEADLINE_EXCEEDED);
    if (code == Code.OK) {
      carriedOut.merge(method, 1, Integer::sum);
    }
  }

  void ofStream(Code end) {
    note("stream " + end, end != Code.DEADLINE_EXCEEDED);
  }

  void ofHttp(int status) {
    note("HTTP " + status, true);
  }

  void ofOddHttp(int status) {
    note("odd HTTP " + status, status != 0);
  }

  private void note(String way, boolean answered) {
    ways.merge(way, 1, Integer::sum);
    if (answered) {
      count.incrementAndGet();
    }
  }

  long count() {
    return count.get();
  }

  /** Those of the methods that have never been carried out. */
  List<String> neverCarriedOut(List<String> methods) {
    return methods.stream().filter(method -> !carriedOut.containsKey(method)).toList();
  }

  Map<String, Integer> ways() {
    return new TreeMap<>(ways);
  }

  Map<String, Integer> carriedOut() {
    return new TreeMap<>(carriedOut);
  }
}
