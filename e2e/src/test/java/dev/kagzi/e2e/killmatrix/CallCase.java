package dev.kagzi.e2e.killmatrix;

import java.util.List;
import java.util.function.Function;

/**
 * A method of the contract, in one of the ways in which it can be used.
 *
 * @param method as the contract names it
 * @param variant tells uses of one method apart; empty if there is only one
 * @param statement parts of the statement whose transaction carries the call
 * @param scene prepares everything and says what is called
 */
record CallCase(
    String method, String variant, List<String> statement, Function<Stage, Act<?>> scene) {

  static CallCase of(String method, String statement, Function<Stage, Act<?>> scene) {
    return of(method, "", statement, scene);
  }

  /** Parts of the statement are set apart by {@code ...}. */
  static CallCase of(
      String method, String variant, String statement, Function<Stage, Act<?>> scene) {
    return new CallCase(method, variant, List.of(statement.split(" \\.\\.\\. ")), scene);
  }

  @Override
  public String toString() {
    return variant.isEmpty() ? method : method + " (" + variant + ")";
  }
}
