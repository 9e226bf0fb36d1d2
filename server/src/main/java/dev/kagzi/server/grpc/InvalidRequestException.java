package dev.kagzi.server.grpc;

import com.google.rpc.BadRequest.FieldViolation;
import java.util.List;
import java.util.stream.Collectors;

/** A request with faults; carries all of them. */
final class InvalidRequestException extends RuntimeException {

  private final transient List<FieldViolation> violations;

  InvalidRequestException(List<FieldViolation> violations) {
    super(words(violations), null, false, false);
    this.violations = List.copyOf(violations);
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
