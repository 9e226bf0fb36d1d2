package dev.kagzi.server.grpc;

import com.google.rpc.BadRequest.FieldViolation;
import dev.kagzi.engine.domain.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** A request with faults; carries as many of them as a caller can receive. */
final class InvalidRequestException extends RuntimeException {

  private static final String SEPARATOR = "; ";

  private final transient List<FieldViolation> violations;

  private final ErrorCode reason;

  private InvalidRequestException(ErrorCode reason, List<FieldViolation> violations) {
    super(words(violations), null, false, false);
    this.reason = reason;
    this.violations = List.copyOf(violations);
  }

  /**
   * Makes one.
   *
   * @param first the first faults
   * @param faults how many there are in all
   */
  static InvalidRequestException of(ErrorCode reason, List<FieldViolation> first, int faults) {
    List<FieldViolation> told = new ArrayList<>();
    int left = TrailerSpace.OF_FAULTS;
    for (FieldViolation violation : first) {
      FieldViolation abridged = abridged(violation);
      left -= TrailerSpace.taken(abridged) + TrailerSpace.taken(words(abridged) + SEPARATOR);
      if (left < 0) {
        break;
      }
      told.add(abridged);
    }
    if (told.size() < faults) {
      told.add(violation("request", "has %d more faults".formatted(faults - told.size())));
    }
    return new InvalidRequestException(reason, told);
  }

  private static FieldViolation abridged(FieldViolation violation) {
    return violation(
        TrailerSpace.abridged(violation.getField(), TrailerSpace.OF_TEXT),
        TrailerSpace.abridged(violation.getDescription(), TrailerSpace.OF_TEXT));
  }

  static FieldViolation violation(String field, String description) {
    return FieldViolation.newBuilder().setField(field).setDescription(description).build();
  }

  ErrorCode reason() {
    return reason;
  }

  List<FieldViolation> violations() {
    return violations;
  }

  private static String words(List<FieldViolation> violations) {
    return violations.stream()
        .map(InvalidRequestException::words)
        .collect(Collectors.joining(SEPARATOR));
  }

  private static String words(FieldViolation violation) {
    return violation.getField() + " " + violation.getDescription();
  }
}
