package dev.kagzi.cli.output;

/** Colours for terminals, or none. Immutable. */
public enum Paint {
  PLAIN {
    @Override
    String in(String code, String text) {
      return text;
    }
  },
  COLOURED {
    @Override
    String in(String code, String text) {
      return text.isEmpty() ? text : "\u001b[" + code + "m" + text + "\u001b[0m";
    }
  };

  static Paint of(boolean coloured) {
    return coloured ? COLOURED : PLAIN;
  }

  abstract String in(String code, String text);

  public String good(String text) {
    return in("32", text);
  }

  public String bad(String text) {
    return in("31", text);
  }

  public String odd(String text) {
    return in("33", text);
  }

  public String busy(String text) {
    return in("36", text);
  }

  public String faint(String text) {
    return in("2", text);
  }

  public String strong(String text) {
    return in("1", text);
  }
}
