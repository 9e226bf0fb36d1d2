package dev.kagzi.tidy;

import com.google.googlejavaformat.java.Formatter;
import com.google.googlejavaformat.java.FormatterException;

/**
 * The one layout of our Java: google-java-format, default style, imports sorted and unused ones
 * removed, as its command line does. Thread-safe.
 */
public final class Layout {
  private final Formatter formatter = new Formatter();

  /** The text as it should be; throws when it is not Java. */
  public String apply(SourceFile file) throws FormatterException {
    return formatter.formatSourceAndFixImports(file.text());
  }

  public boolean isRespectedBy(SourceFile file) {
    try {
      return apply(file).equals(file.text());
    } catch (FormatterException e) {
      return false;
    }
  }
}
