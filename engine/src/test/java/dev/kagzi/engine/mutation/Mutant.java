package dev.kagzi.engine.mutation;

import java.util.ArrayList;
import java.util.List;

/**
 * The code without one of its mechanisms.
 *
 * @param promise which of the guarantees the mechanism keeps, by its number
 * @param removes what the code does without
 * @param tests each of which must fail
 * @param deadlocks what happens then; the server counts it, and other tests must not be blamed
 */
record Mutant(
    String id,
    int promise,
    String removes,
    List<Edit> edits,
    List<NamedTest> tests,
    boolean deadlocks) {

  Mutant {
    edits = List.copyOf(edits);
    tests = List.copyOf(tests);
  }

  static Mutant of(String id, int promise, String removes) {
    return new Mutant(id, promise, removes, List.of(), List.of(), false);
  }

  /** The same, which makes the database end deadlocks. */
  Mutant deadlocking() {
    return new Mutant(id, promise, removes, edits, tests, true);
  }

  /** The same with one more change. */
  Mutant edit(String source, String from, String to) {
    return edit(new Edit(source, from, to));
  }

  Mutant edit(Edit edit) {
    List<Edit> more = new ArrayList<>(edits);
    more.add(edit);
    return new Mutant(id, promise, removes, more, tests, deadlocks);
  }

  /** The same with one more test that notices. */
  Mutant noticedBy(String type, String method) {
    return noticedBy(NamedTest.of(type, method));
  }

  Mutant noticedByRace(String race) {
    return noticedBy(NamedTest.race(race));
  }

  private Mutant noticedBy(NamedTest test) {
    List<NamedTest> more = new ArrayList<>(tests);
    more.add(test);
    return new Mutant(id, promise, removes, edits, more, deadlocks);
  }

  @Override
  public String toString() {
    return "%s (promise %d): without %s".formatted(id, promise, removes);
  }
}
