package dev.kagzi.sdk;

import org.jspecify.annotations.Nullable;

/**
 * The branch that won a race, the same in every replay.
 *
 * @param index its place among the branches, from 0
 * @param step the key of its step
 * @param value its result
 */
public record Winner<T extends @Nullable Object>(int index, String step, T value) {}
