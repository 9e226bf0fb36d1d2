package dev.kagzi.engine.domain;

import dev.kagzi.core.Payload;
import java.time.Instant;

/** A value that a run shows to clients under a name. */
public record PublishedState(String name, Payload value, Instant updatedAt) {}
