package dev.kagzi.sdk;

import dev.kagzi.core.Names;
import org.jspecify.annotations.Nullable;

/**
 * The name of a workflow together with what goes in and what comes out: a constant that the worker
 * registers and that callers in the same code base start it by. The name is data and never the
 * class name, so classes may move. Immutable and thread-safe.
 *
 * @param <I> the input
 * @param <O> the output
 */
public final class WorkflowType<I extends @Nullable Object, O extends @Nullable Object> {

  private final String name;
  private final TypeRef<I> input;
  private final TypeRef<O> output;

  private WorkflowType(String name, TypeRef<I> input, TypeRef<O> output) {
    this.name = Names.check("workflow type", name);
    this.input = input;
    this.output = output;
  }

  /**
   * A workflow type between two plain classes.
   *
   * @throws IllegalArgumentException if the name is empty, too long or not printable
   */
  public static <I extends @Nullable Object, O extends @Nullable Object> WorkflowType<I, O> of(
      String name, Class<I> input, Class<O> output) {
    return new WorkflowType<>(name, TypeRef.of(input), TypeRef.of(output));
  }

  /**
   * A workflow type with generic input or output.
   *
   * @throws IllegalArgumentException if the name is empty, too long or not printable
   */
  public static <I extends @Nullable Object, O extends @Nullable Object> WorkflowType<I, O> of(
      String name, TypeRef<I> input, TypeRef<O> output) {
    return new WorkflowType<>(name, input, output);
  }

  /** The name that runs are started by. */
  public String name() {
    return name;
  }

  /** What the input is read as. */
  public TypeRef<I> input() {
    return input;
  }

  /** What the output is read as. */
  public TypeRef<O> output() {
    return output;
  }

  @Override
  public String toString() {
    return name;
  }
}
