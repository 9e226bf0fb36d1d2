package dev.kagzi.server.config;

/** Where a value came from, in the words of whoever has to change it. Immutable. */
public record Origin(Kind kind, String label) {

  /** The kinds of origin, the stronger ones later. */
  public enum Kind {
    DEFAULT,
    FILE,
    ENVIRONMENT,
    FLAG,
    /** Set by the program that embeds the server. */
    CODE
  }

  static final Origin DEFAULT = new Origin(Kind.DEFAULT, "default");
  static final Origin CODE = new Origin(Kind.CODE, "code");

  static Origin file(String path) {
    return new Origin(Kind.FILE, path);
  }

  static Origin environment(String variable) {
    return new Origin(Kind.ENVIRONMENT, variable);
  }

  static Origin flag(String flag) {
    return new Origin(Kind.FLAG, flag);
  }

  boolean isStrongerThan(Origin other) {
    return kind.compareTo(other.kind) > 0;
  }

  @Override
  public String toString() {
    return label;
  }
}
