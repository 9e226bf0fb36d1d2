package dev.kagzi.sdk.internal;

import dev.kagzi.sdk.NonRetryableException;
import dev.kagzi.v1.ErrorDetail;
import dev.kagzi.v1.ErrorKind;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Exceptions as they are recorded: bounded in size, and classified as far as Java tells. */
final class ErrorDetails {

  private static final int MAX_STACK_TRACE_BYTES = 32 * 1024;
  private static final int MAX_MESSAGE_BYTES = 8 * 1024;
  private static final int MAX_CAUSES = 8;

  /** By the name of the class or a superclass of it; names, so that no module is needed for it. */
  private static final Map<String, ErrorKind> KINDS =
      Map.of(
          "java.net.SocketTimeoutException", ErrorKind.ERROR_KIND_TIMEOUT,
          "java.net.http.HttpTimeoutException", ErrorKind.ERROR_KIND_TIMEOUT,
          "java.util.concurrent.TimeoutException", ErrorKind.ERROR_KIND_TIMEOUT,
          "java.net.SocketException", ErrorKind.ERROR_KIND_NETWORK_ERROR,
          "java.net.UnknownHostException", ErrorKind.ERROR_KIND_NETWORK_ERROR,
          "java.sql.SQLException", ErrorKind.ERROR_KIND_DATABASE_ERROR);

  private ErrorDetails() {}

  static ErrorDetail of(Throwable error) {
    return describe(error, MAX_CAUSES)
        .setStackTrace(cut(stackTrace(error), MAX_STACK_TRACE_BYTES))
        .setNonRetryable(isNonRetryable(error))
        .build();
  }

  static boolean isNonRetryable(Throwable error) {
    return error instanceof NonRetryableException;
  }

  private static ErrorDetail.Builder describe(Throwable error, int moreCauses) {
    List<String> supertypes = supertypes(error.getClass());
    String message = error.getMessage();
    var detail =
        ErrorDetail.newBuilder()
            .setType(error.getClass().getName())
            .addAllTypeHierarchy(supertypes)
            .setKind(kind(error.getClass().getName(), supertypes))
            .setMessage(message == null ? "" : cut(message, MAX_MESSAGE_BYTES));
    Throwable cause = error.getCause();
    if (cause != null && moreCauses > 0) {
      detail.setCause(describe(cause, moreCauses - 1));
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

  private static ErrorKind kind(String type, List<String> supertypes) {
    ErrorKind own = KINDS.get(type);
    if (own != null) {
      return own;
    }
    return supertypes.stream()
        .filter(KINDS::containsKey)
        .findFirst()
        .map(KINDS::get)
        .orElse(ErrorKind.ERROR_KIND_UNKNOWN);
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
