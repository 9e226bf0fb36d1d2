package dev.kagzi.engine.domain;

import dev.kagzi.core.Payload;
import org.jspecify.annotations.Nullable;

/**
 * Something that is sent to a run.
 *
 * @param name what it is; a wait asks for it by this
 * @param idempotencyKey a second one with the same key is not delivered to the same run again
 */
public record EventMessage(String name, @Nullable Payload payload, String idempotencyKey) {}
