package dev.kagzi.engine.mutation;

/**
 * A change to one source file.
 *
 * @param source the file, by its package below the engine's and its name
 * @param from what is replaced, wherever it is
 */
record Edit(String source, String from, String to) {

  /** The text without the mechanism; an error if it is not where it was. */
  String apply(String text) {
    if (!text.contains(from)) {
      throw new IllegalStateException(
          "%s.java does not contain '%s' any more; say in the mutant what took its place"
              .formatted(source, from));
    }
    return text.replace(from, to);
  }

  /** Takes something out of the schema after it was made. */
  static Edit schema(String statement) {
    return new Edit(
        "store/Schema",
        "MigrateResult result = flyway.migrate();",
        "MigrateResult result = flyway.migrate(); database.alone(\"%s\");".formatted(statement));
  }
}
