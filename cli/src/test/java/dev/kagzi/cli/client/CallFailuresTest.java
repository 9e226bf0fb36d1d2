package dev.kagzi.cli.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.cli.shell.ExitCode;
import io.grpc.Status;
import java.net.ConnectException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CallFailuresTest {
  private static final Setting ADDRESS = new Setting("db:50051", "KAGZI_ADDRESS");

  @ParameterizedTest
  @CsvSource({
    "UNAUTHENTICATED, AUTH",
    "PERMISSION_DENIED, AUTH",
    "NOT_FOUND, NOT_FOUND",
    "INVALID_ARGUMENT, USAGE",
    "FAILED_PRECONDITION, ERROR",
    "UNAVAILABLE, ERROR",
    "DEADLINE_EXCEEDED, ERROR",
    "UNIMPLEMENTED, ERROR",
    "INTERNAL, ERROR",
  })
  void endWithTheDocumentedCodes(Status.Code status, ExitCode code) {
    var failure = status.toStatus().withDescription("because").asRuntimeException();

    assertThat(CallFailures.explain(failure, ADDRESS).code()).isEqualTo(code);
  }

  @Test
  void sayWhichServerWhoNamedItAndWhatTheNetworkSays() {
    var refused =
        Status.UNAVAILABLE
            .withDescription("io exception")
            .withCause(new ConnectException("Connection refused: db/10.0.0.1:50051"))
            .asRuntimeException();

    assertThat(CallFailures.explain(refused, ADDRESS))
        .hasMessageContaining("no Kagzi server answers at db:50051, which comes from KAGZI_ADDRESS")
        .hasMessageContaining("Connection refused")
        .hasMessageContaining("try: kagzi dev");
    assertThat(CallFailures.explain(Status.PERMISSION_DENIED.asRuntimeException(), ADDRESS))
        .hasMessageContaining("not allowed")
        .hasMessageContaining("server db:50051 from KAGZI_ADDRESS");
  }
}
