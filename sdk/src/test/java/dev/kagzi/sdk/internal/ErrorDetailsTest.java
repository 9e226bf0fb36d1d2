package dev.kagzi.sdk.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.sdk.NonRetryableException;
import dev.kagzi.v1.ErrorKind;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

class ErrorDetailsTest {

  private static final ErrorDetails DETAILS = new ErrorDetails(ErrorHandling.STANDARD);

  @Test
  void classifiesWhatJavaTells() {
    assertThat(kind(new ConnectException())).isEqualTo(ErrorKind.ERROR_KIND_NETWORK_ERROR);
    assertThat(kind(new SocketTimeoutException())).isEqualTo(ErrorKind.ERROR_KIND_TIMEOUT);
    assertThat(kind(new TimeoutException())).isEqualTo(ErrorKind.ERROR_KIND_TIMEOUT);
    assertThat(kind(new IllegalStateException())).isEqualTo(ErrorKind.ERROR_KIND_UNKNOWN);
  }

  @Test
  void keepsTheChainOfCauses() {
    var error = new IllegalStateException("outer", new NonRetryableException("inner"));

    var detail = DETAILS.of(error);

    assertThat(detail.getMessage()).isEqualTo("outer");
    assertThat(detail.getNonRetryable()).isFalse();
    assertThat(detail.getCause().getType()).isEqualTo(NonRetryableException.class.getName());
    assertThat(detail.getCause().getTypeHierarchyList())
        .startsWith("dev.kagzi.sdk.KagziException", "java.lang.RuntimeException");
  }

  @Test
  void survivesErrorsThatNeverEnd() {
    var error = new StackOverflowError("x".repeat(100_000));
    error.initCause(new IllegalStateException(error));

    var detail = DETAILS.of(error);

    assertThat(detail.getSerializedSize()).isLessThan(128 * 1024);
    assertThat(detail.getStackTrace().getBytes(StandardCharsets.UTF_8)).hasSize(32 * 1024);
  }

  @Test
  void cutsBetweenCharacters() {
    assertThat(ErrorDetails.cut("aä😀b", 3)).isEqualTo("aä");
    assertThat(ErrorDetails.cut("aä😀b", 6)).isEqualTo("aä");
    assertThat(ErrorDetails.cut("aä😀b", 7)).isEqualTo("aä😀");
    assertThat(ErrorDetails.cut("a\0b", 7)).isEqualTo("a b");
  }

  private static ErrorKind kind(Throwable error) {
    return DETAILS.of(error).getKind();
  }
}
