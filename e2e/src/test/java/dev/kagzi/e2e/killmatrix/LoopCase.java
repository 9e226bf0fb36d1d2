package dev.kagzi.e2e.killmatrix;

import dev.kagzi.faults.FaultyDataSource.Moment;
import java.util.List;
import java.util.function.Function;

/**
 * A loop that has something to do.
 *
 * @param loop the class, by its simple name
 * @param variant tells transactions of one loop apart; empty if there is only one
 * @param statement parts of the statement whose transaction is the loop's
 * @param scene prepares everything at a server that is stopped then
 */
record LoopCase(
    String loop, String variant, List<String> statement, Function<Stage, Chapter> scene) {

  /** What a statement contains that cannot be part of a transaction. */
  static final String ALONE = "CONCURRENTLY";

  static LoopCase of(String loop, String statement, Function<Stage, Chapter> scene) {
    return of(loop, "", statement, scene);
  }

  /** Parts of the statement are set apart by {@code ...}. */
  static LoopCase of(
      String loop, String variant, String statement, Function<Stage, Chapter> scene) {
    return new LoopCase(loop, variant, List.of(statement.split(" \\.\\.\\. ")), scene);
  }

  /** Whether there is such a moment: a statement that commits by itself has none before that. */
  boolean has(Moment moment) {
    return moment != Moment.BEFORE_THE_COMMIT || !statement.contains(ALONE);
  }

  @Override
  public String toString() {
    return variant.isEmpty() ? loop : loop + " (" + variant + ")";
  }
}
