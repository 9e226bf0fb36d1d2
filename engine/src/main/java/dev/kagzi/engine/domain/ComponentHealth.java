package dev.kagzi.engine.domain;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How well one part of a server is.
 *
 * @param message what was found, in words
 * @param latency how long the look took, if that says anything
 */
public record ComponentHealth(
    String name, Health health, String message, @Nullable Duration latency) {

  public ComponentHealth(String name, Health health, String message) {
    this(name, health, message, null);
  }
}
