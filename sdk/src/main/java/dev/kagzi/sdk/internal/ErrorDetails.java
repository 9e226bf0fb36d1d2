package dev.kagzi.sdk.internal;

import dev.kagzi.sdk.ErrorClassifier;
import dev.kagzi.sdk.ErrorKind;
import dev.kagzi.sdk.ErrorReport;
import dev.kagzi.sdk.NonRetryableException;
import dev.kagzi.v1.ErrorDetail;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Exceptions as they are recorded: classified, sanitized and bounded in size. Nothing about an
 * exception of the user is sent or logged that has not passed through here. Thread-safe.
 */
final class ErrorDetails {

  private static final Logger LOG = LoggerFactory.getLogger(ErrorDetails.class);

  private static final int MAX_STACK_TRACE_BYTES = 32 * 1024;
  private static final int MAX_MESSAGE_BYTES = 8 * 1024;
  private static final int MAX_CAUSES = 8;

  private final ErrorClassifier classifier;
  private final @Nullable UnaryOperator<ErrorReport> sanitizer;

  ErrorDetails(ErrorHandling handling) {
    this.classifier = handling.classifier();
    this.sanitizer = handling.sanitizer();
  }

  ErrorDetail of(Throwable error) {
    return toWire(sanitized(report(error, stackTrace(error), MAX_CAUSES)))
        .setNonRetryable(isNonRetryable(error))
        .build();
  }

  static boolean isNonRetryable(Throwable error) {
    return error instanceof NonRetryableException;
  }

  /** Logs a failure: with the exception itself, or only what the sanitizer has left of it. */
  void log(Logger log, Throwable error, ErrorDetail detail, String what, Object... arguments) {
    var line = log.atWarn().setMessage(sanitizer == null ? what : what + ": {}");
    for (Object argument : arguments) {
      line = line.addArgument(argument);
    }
    if (sanitizer == null) {
      line.setCause(error).log();
    } else {
      line.addArgument(
              detail.getStackTrace().isEmpty() ? detail.getMessage() : detail.getStackTrace())
          .log();
    }
  }

  private ErrorReport report(Throwable error, String stackTrace, int moreCauses) {
    Throwable cause = error.getCause();
    String message = error.getMessage();
    return new ErrorReport(
        kind(error),
        error.getClass().getName(),
        supertypes(error.getClass()),
        message == null ? "" : message,
        stackTrace,
        cause == null || moreCauses == 0 ? null : report(cause, "", moreCauses - 1));
  }

  /** The kind of the exception, else of the first of its causes that has one. */
  private ErrorKind kind(Throwable error) {
    int more = MAX_CAUSES;
    for (Throwable cause = error; cause != null && more >= 0; cause = cause.getCause(), more--) {
      Optional<ErrorKind> kind = classify(cause);
      if (kind.isPresent()) {
        return kind.get();
      }
    }
    return ErrorKind.UNKNOWN;
  }

  private Optional<ErrorKind> classify(Throwable error) {
    try {
      return classifier.classify(error);
    } catch (RuntimeException e) {
      LOG.error("The error classifier failed for {}", error.getClass().getName(), e);
      return Optional.empty();
    }
  }

  private ErrorReport sanitized(ErrorReport report) {
    if (sanitizer == null) {
      return report;
    }
    try {
      return sanitizer.apply(report);
    } catch (RuntimeException e) {
      // What the sanitizer was to remove must not get out with the news that it has failed.
      LOG.error("The error sanitizer failed with {}", e.getClass().getName());
      return new ErrorReport(
          report.kind(),
          report.type(),
          report.typeHierarchy(),
          "(removed, because the error sanitizer failed)",
          "",
          null);
    }
  }

  private static ErrorDetail.Builder toWire(ErrorReport report) {
    var detail =
        ErrorDetail.newBuilder()
            .setKind(ErrorKinds.toWire(report.kind()))
            .setType(report.type())
            .addAllTypeHierarchy(report.typeHierarchy())
            .setMessage(cut(report.message(), MAX_MESSAGE_BYTES))
            .setStackTrace(cut(report.stackTrace(), MAX_STACK_TRACE_BYTES));
    if (report.cause() != null) {
      detail.setCause(toWire(report.cause()));
    }
    return detail;
  }

  private static List<String> supertypes(Class<?> type) {
    var names = new ArrayList<String>();
    for (Class<?> parent = type.getSuperclass();
        parent != null && parent != Object.class;
        parent = parent.getSuperclass()) {
      names.add(parent.getName());
    }
    return names;
  }

  private static String stackTrace(Throwable error) {
    var text = new StringWriter();
    error.printStackTrace(new PrintWriter(text));
    return text.toString();
  }

  /** At most so many bytes of UTF-8, ending between two characters; without NUL. */
  static String cut(String text, int maxBytes) {
    CharBuffer in = CharBuffer.wrap(text);
    StandardCharsets.UTF_8
        .newEncoder()
        .onMalformedInput(CodingErrorAction.REPLACE)
        .encode(in, ByteBuffer.allocate(maxBytes), true);
    return text.substring(0, in.position()).replace('\0', ' ');
  }
}
