package dev.kagzi.cli.output;

import com.google.protobuf.Timestamp;
import java.time.Duration;
import java.time.Instant;

/**
 * How single values look to a person. Immutable.
 *
 * @param now what relative times are relative to
 */
public record Look(Paint paint, TimeMode time, Instant now) {
  /** Stands for a value that there is none of. */
  public static final String NONE = "–";

  private static final int SHORT_ID = 8;

  /** What is to come in 1.9 seconds comes in two: nothing happens earlier than it was told. */
  private static final Duration ALMOST_A_SECOND = Duration.ofMillis(999);

  /** The last digits of an id: the first ones are the time, and so the same for neighbours. */
  public static String shortId(String id) {
    return id.isEmpty()
        ? NONE
        : id.length() <= SHORT_ID ? id : id.substring(id.length() - SHORT_ID);
  }

  public static String orNone(String text) {
    return text.isEmpty() ? NONE : text;
  }

  /** The rest of a text that is too long for its place is left out. */
  public static String cut(String text, int length) {
    var line = text.lines().findFirst().orElse("");
    var whole = line.length() == text.length() && line.length() <= length;
    return whole ? line : line.substring(0, Math.min(line.length(), length - 1)) + "…";
  }

  public static Instant instant(Timestamp time) {
    return Instant.ofEpochSecond(time.getSeconds(), time.getNanos());
  }

  public static Timestamp timestamp(Instant time) {
    return Timestamp.newBuilder()
        .setSeconds(time.getEpochSecond())
        .setNanos(time.getNano())
        .build();
  }

  /** The same, with times relative to another moment. */
  public Look asOf(Instant moment) {
    return new Look(paint, time, moment);
  }

  /** A moment as the person wants it. */
  public String at(Timestamp moment) {
    if (moment.equals(Timestamp.getDefaultInstance())) {
      return NONE;
    }
    var instant = instant(moment);
    return time == TimeMode.ISO ? instant.toString() : relative(instant);
  }

  /** Whether a moment is still to come. */
  public boolean isAhead(Timestamp moment) {
    return instant(moment).isAfter(now);
  }

  private String relative(Instant moment) {
    var age = Duration.between(moment, now);
    return age.isNegative()
        ? "in " + Lengths.rough(age.negated().plus(ALMOST_A_SECOND))
        : Lengths.rough(age) + " ago";
  }

  /** A state in its colour. */
  public String status(Enum<?> wire) {
    var word = Words.of(wire);
    return switch (word) {
      case "COMPLETED", "ONLINE", "SUCCEEDED", "HEALTHY" -> paint.good(word);
      case "FAILED", "TIMED_OUT", "OFFLINE", "UNHEALTHY", "INTERRUPTED" -> paint.bad(word);
      case "CANCELLED", "DRAINING", "PAUSED", "DEGRADED", "SKIPPED" -> paint.odd(word);
      case "RUNNING" -> paint.busy(word);
      default -> word;
    };
  }

  /** How long something took, or has taken so far. */
  public String took(Timestamp from, Timestamp until) {
    if (from.equals(Timestamp.getDefaultInstance())) {
      return NONE;
    }
    var end = until.equals(Timestamp.getDefaultInstance()) ? now : instant(until);
    return Lengths.exact(Duration.between(instant(from), end));
  }
}
