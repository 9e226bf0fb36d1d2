package dev.kagzi.engine.domain;

import dev.kagzi.core.Payload;
import org.jspecify.annotations.Nullable;

/**
 * How one child of a step stands.
 *
 * @param child null for an item that waits for its turn
 */
public record ChildResult(
    int index,
    @Nullable RunId child,
    RunStatus status,
    @Nullable Payload output,
    @Nullable Failure error) {}
