package dev.kagzi.sdk.client;

import dev.kagzi.core.Payload;
import org.jspecify.annotations.Nullable;

/** Makes a run's result out of its recorded bytes, which are absent when it returned nothing. */
interface ResultReader<O extends @Nullable Object> {
  O read(@Nullable Payload output);
}
