package dev.kagzi.sdk;

import dev.kagzi.core.StepKey;

/**
 * The name of an event together with what it carries: a constant that the workflow waits for and
 * that senders in the same code base send. Immutable and thread-safe.
 *
 * @param <T> what the event carries
 */
public final class EventType<T> {

  private final String name;
  private final TypeRef<T> type;

  private EventType(String name, TypeRef<T> type) {
    this.name = StepKey.of(name).value();
    this.type = type;
  }

  /**
   * An event that carries a plain class.
   *
   * @throws IllegalArgumentException if the name is empty, too long, not printable or contains
   *     {@code #}, {@code [} or {@code ]}
   */
  public static <T> EventType<T> of(String name, Class<T> type) {
    return new EventType<>(name, TypeRef.of(type));
  }

  /**
   * An event that carries something generic.
   *
   * @throws IllegalArgumentException if the name is empty, too long, not printable or contains
   *     {@code #}, {@code [} or {@code ]}
   */
  public static <T> EventType<T> of(String name, TypeRef<T> type) {
    return new EventType<>(name, type);
  }

  /** The name that the event is sent by; steps that wait for it have it too. */
  public String name() {
    return name;
  }

  /** What the event's payload is read as. */
  public TypeRef<T> type() {
    return type;
  }

  @Override
  public String toString() {
    return name;
  }
}
