package dev.kagzi.engine.domain;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A tenant.
 *
 * @param disableReason why it takes no work; empty if it does, or nobody said
 */
public record Namespace(
    String name,
    Settings settings,
    boolean enabled,
    String disableReason,
    Instant createdAt,
    Instant updatedAt) {

  /**
   * What a person says about it.
   *
   * @param retentionDays how long its finished runs are kept; null: as long as the server says
   */
  public record Settings(
      String description, @Nullable Integer retentionDays, Map<String, String> labels) {
    public Settings {
      labels = Map.copyOf(labels);
    }
  }
}
