package dev.kagzi.sdk.internal;

import dev.kagzi.sdk.ErrorClassifier;
import dev.kagzi.sdk.ErrorReport;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What the application wants done with errors before they leave it.
 *
 * @param classifier asked first about the kind of an error
 * @param sanitizer rewrites what is sent and logged, if there is one
 */
public record ErrorHandling(
    ErrorClassifier classifier, @Nullable UnaryOperator<ErrorReport> sanitizer) {

  /** Nothing special. */
  public static final ErrorHandling STANDARD = new ErrorHandling(ErrorClassifier.standard(), null);
}
