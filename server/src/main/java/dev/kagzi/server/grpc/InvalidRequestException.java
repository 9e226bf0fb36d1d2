package dev.kagzi.server.grpc;

import com.google.rpc.BadRequest.FieldViolation;
import dev.kagzi.engine.domain.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A request with faults; carries all of them, as far as they fit into the trailers of a call, where
 * they stand three times.
 */
final class InvalidRequestException extends RuntimeException {

  private static final int MAX_CHARACTERS = 1600;

  private final transient List<FieldViolation> violations;

  private final ErrorCode reason;

  private InvalidRequestException(ErrorCode reason, List<FieldViolation> violations) {
    super(words(violations), null, false, false);
    this.reason = reason;
    this.violations = List.copyOf(violations);
  }

  static InvalidRequestException of(ErrorCode reason, List<FieldViolation> all) {
    List<FieldViolation> told = new ArrayList<>();
    int characters = 0;
    for (FieldViolation violation : all) {
      characters += violation.getField().length() + violation.getDescription().length();
      if (characters > MAX_CHARACTERS) {
        told.add(
            FieldViolation.newBuilder()
                .setField("request")
                .setDescription("has %d more faults".formatted(all.size() - told.size()))
                .build());
        break;
      }
      told.add(violation);
    }
    return new InvalidRequestException(reason, told);
  }

  ErrorCode reason() {
    return reason;
  }

  List<FieldViolation> violations() {
    return violations;
  }

  private static String words(List<FieldViolation> violations) {
    return violations.stream()
        .map(violation -> violation.getField() + " " + violation.getDescription())
        .collect(Collectors.joining("; "));
  }
}
