package dev.kagzi.sdk;

import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * An error as it is stored, shown and handed to failure handlers. Immutable and thread-safe.
 *
 * @param kind what sort of trouble it is
 * @param type the exception's class name
 * @param typeHierarchy the class names of its superclasses, nearest first
 * @param message the exception's message, empty if it had none
 * @param stackTrace where it came from, with its causes; cut at 32 KB
 * @param cause what led to it
 */
public record ErrorReport(
    ErrorKind kind,
    String type,
    List<String> typeHierarchy,
    String message,
    String stackTrace,
    @Nullable ErrorReport cause) {

  /** Reads as empty what a sender left out. */
  @SuppressWarnings("ConstantConditions")
  public ErrorReport {
    kind = kind == null ? ErrorKind.UNKNOWN : kind;
    type = orEmpty(type);
    typeHierarchy = typeHierarchy == null ? List.of() : List.copyOf(typeHierarchy);
    message = orEmpty(message);
    stackTrace = orEmpty(stackTrace);
  }

  private static String orEmpty(@Nullable String text) {
    return text == null ? "" : text;
  }

  /** The same error with its message, its stack trace and its causes rewritten. */
  public ErrorReport mapText(UnaryOperator<String> rewrite) {
    return new ErrorReport(
        kind,
        type,
        typeHierarchy,
        rewrite.apply(message),
        rewrite.apply(stackTrace),
        cause == null ? null : cause.mapText(rewrite));
  }
}
