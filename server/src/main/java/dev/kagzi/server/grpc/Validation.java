package dev.kagzi.server.grpc;

import com.google.protobuf.ProtocolMessageEnum;
import com.google.protobuf.Timestamp;
import com.google.rpc.BadRequest.FieldViolation;
import dev.kagzi.core.Names;
import dev.kagzi.core.Payload;
import dev.kagzi.core.StepKey;
import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.operation.CronReader;
import dev.kagzi.engine.operation.RunLists;
import dev.kagzi.v1.ErrorKind;
import dev.kagzi.v1.RetryPredicate;
import dev.kagzi.v1.StepAttempt;
import dev.kagzi.v1.StepKind;
import dev.kagzi.v1.WorkflowTypeVersion;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Collects everything that is wrong with one request, so that its sender hears it at once. Absent
 * optional fields are no fault; call the methods for fields that are set. Not thread-safe.
 */
final class Validation {

  /** Longer durations are mistakes, and would lead the calendar astray. */
  private static final Duration LONGEST = Duration.ofDays(36_500);

  private static final Instant EARLIEST_MOMENT = Instant.parse("0001-01-01T00:00:00Z");
  private static final Instant LATEST_MOMENT = Instant.parse("9999-12-31T23:59:59.999999999Z");
  private static final int NANOS_PER_SECOND = 1_000_000_000;
  private static final int MAX_LABELS = 64;
  private static final int MAX_METADATA_BYTES = 16 * 1024;
  private static final int MAX_TYPES = 1000;
  private static final int MAX_REMARK = 1000;

  /** The longest step key in the longest characters, and what authenticates it, fit. */
  private static final int MAX_TOKEN = 4000;

  private static final int MAX_SHOWN_KEY = 40;
  private static final int MAX_STEP_KEYS = 1000;
  private static final int MAX_STEPS = 10_000;

  /** More than a refusal can tell: a request of a few megabytes can have a million faults. */
  private static final int MAX_KEPT_FAULTS = 100;

  /** The first faults; the others are only counted. */
  private final List<FieldViolation> violations = new ArrayList<>();

  private int faults;

  private ErrorCode reason = ErrorCode.INVALID_ARGUMENT;

  /** Refuses the request if anything was wrong with it. */
  void done() {
    if (!violations.isEmpty()) {
      throw InvalidRequestException.of(reason, violations, faults);
    }
  }

  void fault(String field, String description) {
    faults++;
    if (violations.size() < MAX_KEPT_FAULTS) {
      violations.add(InvalidRequestException.violation(field, description));
    }
  }

  Validation require(boolean holds, String field, String description) {
    if (!holds) {
      fault(field, description);
    }
    return this;
  }

  /** The same with a description that is worded only when it is needed. */
  private Validation require(boolean holds, String field, Supplier<String> description) {
    return holds ? this : require(false, field, description.get());
  }

  /** A cron expression; the fault is told as the engine words it. */
  Validation cron(String expression) {
    return times(() -> CronReader.read(expression, "UTC"));
  }

  /** The name of a time zone. */
  Validation timezone(String name) {
    return times(() -> CronReader.zone(name));
  }

  private Validation times(Runnable reading) {
    try {
      reading.run();
    } catch (EngineException unreadable) {
      String[] parts = String.valueOf(unreadable.getMessage()).split(": ", 2);
      fault(parts[0], parts[parts.length - 1]);
      reason = unreadable.code();
    }
    return this;
  }

  /** A name that must be given. */
  Validation name(String field, String name) {
    Names.fault(name).ifPresent(fault -> fault(field, fault));
    return this;
  }

  /** A name that may be left out. */
  Validation optionalName(String field, String name) {
    return name.isEmpty() ? this : name(field, name);
  }

  Validation id(String field, String text) {
    try {
      RunId.parse(text);
    } catch (EngineException malformed) {
      fault(field, text.isEmpty() ? "is empty (expected: a UUID)" : "is not a UUID");
    }
    return this;
  }

  Validation optionalId(String field, String text) {
    return text.isEmpty() ? this : id(field, text);
  }

  Validation atLeast(int least, String field, long value) {
    return require(value >= least, field, () -> "is %d (expected: >= %d)".formatted(value, least));
  }

  /** A value of an enumeration that must be given and be one that this server knows. */
  Validation known(String field, ProtocolMessageEnum value) {
    optionalKnown(field, value);
    return require(isUnrecognized(value) || value.getNumber() != 0, field, "is not set");
  }

  /** A value of an enumeration that may be left out, but not be one this server does not know. */
  Validation optionalKnown(String field, ProtocolMessageEnum value) {
    return require(!isUnrecognized(value), field, "is not a value that this server knows");
  }

  private static boolean isUnrecognized(ProtocolMessageEnum value) {
    return value instanceof Enum<?> named && named.name().equals("UNRECOGNIZED");
  }

  /** A duration that is not negative. */
  Validation duration(String field, com.google.protobuf.Duration wire) {
    boolean negative = wire.getSeconds() < 0 || wire.getNanos() < 0;
    return require(!negative, field, "is negative").anyDuration(field, wire);
  }

  /** A duration, perhaps negative, with which one can calculate. */
  Validation anyDuration(String field, com.google.protobuf.Duration wire) {
    boolean fits =
        Math.abs((double) wire.getSeconds()) <= LONGEST.toSeconds()
            && Math.abs((long) wire.getNanos()) < NANOS_PER_SECOND;
    return require(fits, field, "is out of range (expected: at most 100 years)");
  }

  /** Days, of which there may be none; retention works in days, because partitions do. */
  Validation wholeDays(String field, com.google.protobuf.Duration wire) {
    long rest = wire.getSeconds() % Duration.ofDays(1).toSeconds();
    return duration(field, wire)
        .require(rest == 0 && wire.getNanos() == 0, field, "is not a number of whole days");
  }

  Validation moment(String field, Timestamp wire) {
    boolean fits =
        wire.getSeconds() >= EARLIEST_MOMENT.getEpochSecond()
            && wire.getSeconds() <= LATEST_MOMENT.getEpochSecond()
            && wire.getNanos() >= 0
            && wire.getNanos() < NANOS_PER_SECOND;
    return require(fits, field, "is out of range (expected: the years 1 to 9999)");
  }

  Validation payload(String field, dev.kagzi.v1.Payload wire) {
    int size = PayloadMapper.size(wire);
    require(
        size <= Payload.MAX_BYTES,
        field,
        () -> "has %d bytes (expected: at most %d)".formatted(size, Payload.MAX_BYTES));
    int characters = 0;
    for (Map.Entry<String, String> entry : wire.getMetadataMap().entrySet()) {
      characters += entry.getKey().length() + entry.getValue().length();
      storable(field + ".metadata", entry.getKey());
      storable(field + ".metadata", entry.getValue());
    }
    int total = characters;
    return require(
        total <= MAX_METADATA_BYTES,
        field + ".metadata",
        () -> "has %d characters (expected: at most %d)".formatted(total, MAX_METADATA_BYTES));
  }

  Validation labels(String field, Map<String, String> labels) {
    require(
        labels.size() <= MAX_LABELS,
        field,
        () -> "has %d entries (expected: at most %d)".formatted(labels.size(), MAX_LABELS));
    labels.forEach((key, value) -> {
      name(field + " key", key);
      optionalName(field + "." + abridged(key), value);
    });
    return this;
  }

  /** A caller's own key as part of the name of a field: not long, and of plain characters. */
  private static String abridged(String key) {
    String plain = key.replaceAll("[^!-~]", "?");
    return plain.length() <= MAX_SHOWN_KEY ? plain : plain.substring(0, MAX_SHOWN_KEY) + "...";
  }

  /** PostgreSQL cannot keep the character NUL in a text. */
  private Validation storable(String field, String text) {
    return require(text.indexOf('\0') < 0, field, "contains the character NUL");
  }

  Validation types(String field, List<WorkflowTypeVersion> types) {
    require(!types.isEmpty(), field, "is empty (expected: at least one)");
    require(
        types.size() <= MAX_TYPES,
        field,
        () -> "has %d entries (expected: at most %d)".formatted(types.size(), MAX_TYPES));
    for (int i = 0; i < Math.min(types.size(), MAX_TYPES); i++) {
      String at = "%s[%d].".formatted(field, i);
      name(at + "workflow_type", types.get(i).getWorkflowType());
      optionalName(at + "version", types.get(i).getVersion());
    }
    return this;
  }

  /** A step that says which kind it is. */
  Validation step(String field, StepAttempt step) {
    return known(field + ".kind", step.getKind()).anyStep(field, step);
  }

  /** Steps that say which kinds they are; there may be none. */
  Validation steps(String field, List<StepAttempt> steps) {
    require(
        steps.size() <= MAX_STEPS,
        field,
        () -> "has %d entries (expected: at most %d)".formatted(steps.size(), MAX_STEPS));
    for (int i = 0; i < Math.min(steps.size(), MAX_STEPS); i++) {
      step("%s[%d]".formatted(field, i), steps.get(i));
    }
    return this;
  }

  /** A step whose kind follows from the request, if it says one at all. */
  Validation step(String field, StepAttempt step, StepKind implied) {
    StepKind kind = step.getKind();
    return require(
            kind == implied || kind == StepKind.STEP_KIND_UNSPECIFIED,
            field + ".kind",
            () -> "is not %s, which this request is about".formatted(implied))
        .anyStep(field, step);
  }

  private Validation anyStep(String field, StepAttempt step) {
    return moment(field + ".started_at", step.getStartedAt())
        .stepKey(field + ".step_key", step.getStepKey())
        .payload(field + ".input", step.getInput())
        .atLeast(1, field + ".attempt", step.getAttempt())
        .atLeast(0, field + ".seq", step.getSeq());
  }

  Validation retryPolicy(String field, dev.kagzi.v1.RetryPolicy policy) {
    optionalKnown(field + ".predicate", policy.getPredicate());
    anyDuration(field + ".initial_interval", policy.getInitialInterval());
    anyDuration(field + ".maximum_interval", policy.getMaximumInterval());
    try {
      RetryPolicyMapper.partial(policy);
    } catch (IllegalArgumentException | ArithmeticException wrong) {
      fault(field, String.valueOf(wrong.getMessage()));
    }
    for (ErrorKind kind : policy.getErrorKindsList()) {
      known(field + ".error_kinds", kind);
    }
    require(
        policy.getPredicate() != RetryPredicate.RETRY_PREDICATE_ON_ERROR_KIND
            || policy.getErrorKindsCount() > 0,
        field + ".error_kinds",
        "is empty (expected: the kinds that ON_ERROR_KIND means)");
    for (String error : policy.getNonRetryableErrorsList()) {
      name(field + ".non_retryable_errors", error);
    }
    return this;
  }

  /** Words for people, which may be left out. */
  Validation remark(String field, String text) {
    return require(
            text.length() <= MAX_REMARK,
            field,
            () -> "has %d characters (expected: at most %d)".formatted(text.length(), MAX_REMARK))
        .storable(field, text);
  }

  /** Which part of a list is wanted. */
  Validation page(int size, String token) {
    return require(
            size >= 0 && size <= RunLists.MAX_PAGE_SIZE,
            "page_size",
            () ->
                "is %d (expected: 1 to %d, or 0 for %d)"
                    .formatted(size, RunLists.MAX_PAGE_SIZE, Requests.DEFAULT_PAGE_SIZE))
        .pageToken(token);
  }

  /** Where a list is to go on. */
  Validation pageToken(String token) {
    return require(
        token.length() <= MAX_TOKEN,
        "page_token",
        () -> "has %d characters (expected: at most %d)".formatted(token.length(), MAX_TOKEN));
  }

  Validation stepKeys(String field, List<String> keys) {
    require(
        keys.size() <= MAX_STEP_KEYS,
        field,
        () -> "has %d entries (expected: at most %d)".formatted(keys.size(), MAX_STEP_KEYS));
    for (int i = 0; i < Math.min(keys.size(), MAX_STEP_KEYS); i++) {
      stepKey("%s[%d]".formatted(field, i), keys.get(i));
    }
    return this;
  }

  /** A name without what separates names from keys and numbers. */
  Validation stepName(String field, String name) {
    boolean reserved = name.indexOf('#') >= 0 || name.indexOf('[') >= 0 || name.indexOf(']') >= 0;
    return name(field, name)
        .require(!reserved, field, "contains '#', '[' or ']', which are reserved");
  }

  Validation stepKey(String field, String key) {
    int length = key.length();
    return require(
            length >= 1 && length <= StepKey.MAX_LENGTH,
            field,
            () -> "has %d characters (expected: 1 to %d)".formatted(length, StepKey.MAX_LENGTH))
        .storable(field, key);
  }
}
