package dev.kagzi.engine.domain;

import dev.kagzi.core.ErrorKind;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An error as it is kept: structured, so that a reader can group by it and a policy can match it.
 *
 * @param type the exception's class name
 * @param typeHierarchy its superclasses' names, nearest first
 */
public record Failure(
    ErrorKind kind,
    String type,
    List<String> typeHierarchy,
    String message,
    String stackTrace,
    @Nullable Failure cause) {

  public Failure {
    typeHierarchy = List.copyOf(typeHierarchy);
  }

  /** Characters it holds, causes included. */
  public int size() {
    int size = type.length() + message.length() + stackTrace.length();
    for (String supertype : typeHierarchy) {
      size += supertype.length();
    }
    return cause == null ? size : size + cause.size();
  }
}
