package dev.kagzi.engine.interleaving;

import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What an actor's operation answered: a value, or why it was refused. */
record Answer(@Nullable Object value, @Nullable Throwable failure) {

  /** Whether it was answered with a value of this kind. */
  boolean is(Class<?> type) {
    return type.isInstance(value);
  }

  /** The value, which must be of this kind. */
  <T> T as(Class<T> type) {
    if (!type.isInstance(value)) {
      throw new AssertionError("expected a " + type.getSimpleName() + " but got " + this, failure);
    }
    return type.cast(value);
  }

  /** How many tasks a claim brought. */
  int tasks() {
    return as(List.class).size();
  }

  boolean isRefusedWith(ErrorCode code) {
    return failure instanceof EngineException refused && refused.code() == code;
  }

  /** Whether it is an answer that an operation may give at all. */
  boolean isProper() {
    return failure == null || failure instanceof EngineException;
  }
}
