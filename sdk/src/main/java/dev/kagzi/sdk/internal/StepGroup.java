package dev.kagzi.sdk.internal;

import dev.kagzi.core.StepKey;
import dev.kagzi.sdk.StepFn;
import dev.kagzi.sdk.TypeRef;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Proxy;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An interface whose methods are steps, known by their names. What the steps are is checked when
 * the group is made, so that a method that cannot be one is not found in the middle of a run.
 */
final class StepGroup implements InvocationHandler {

  /** Executes a step with a result of this type. */
  @FunctionalInterface
  interface Steps {
    @Nullable Object run(
        String name,
        Type type,
        StepFn<? extends @Nullable Object> fn,
        @Nullable Object @Nullable [] arguments);
  }

  private final Class<?> type;
  private final Object implementation;
  private final Steps steps;
  private final Map<String, Method> methods = new HashMap<>();

  private StepGroup(Class<?> type, Object implementation, Steps steps) {
    this.type = type;
    this.implementation = implementation;
    this.steps = steps;
    for (Method method : type.getMethods()) {
      if (!Modifier.isStatic(method.getModifiers()) && !isOfObject(method)) {
        methods.merge(method.getName(), method, this::moreSpecific);
      }
    }
    methods.values().forEach(this::check);
  }

  static <T> T of(Class<T> type, T implementation, Steps steps) {
    if (!type.isInterface()) {
      throw new IllegalArgumentException(
          "%s is no interface (expected: an interface whose methods are steps)"
              .formatted(type.getName()));
    }
    var group = new StepGroup(type, implementation, steps);
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, group));
  }

  /** The same method with a narrower result is one step; other parameters make it another. */
  private Method moreSpecific(Method one, Method other) {
    if (!Arrays.equals(one.getParameterTypes(), other.getParameterTypes())) {
      throw new IllegalArgumentException(
          ("%s has two methods '%s', and both would be the step '%s' (expected: a name of its own"
                  + " for each method of a step group; rename one)")
              .formatted(type.getName(), one.getName(), one.getName()));
    }
    return one.getReturnType().isAssignableFrom(other.getReturnType()) ? other : one;
  }

  private void check(Method method) {
    StepKey.of(method.getName());
    if (isOpen(method.getGenericReturnType())) {
      throw new IllegalArgumentException(
          ("%s.%s returns %s, which does not say what its result is read as (expected: a type"
                  + " without type variables; declare the method again in the interface with it)")
              .formatted(
                  type.getName(), method.getName(), method.getGenericReturnType().getTypeName()));
    }
    method.setAccessible(true);
  }

  private static boolean isOpen(Type result) {
    return switch (result) {
      case TypeVariable<?> variable -> true;
      case ParameterizedType generic ->
          Stream.of(generic.getActualTypeArguments()).anyMatch(StepGroup::isOpen);
      case GenericArrayType array -> isOpen(array.getGenericComponentType());
      case WildcardType wildcard ->
          Stream.of(wildcard.getUpperBounds()).anyMatch(StepGroup::isOpen);
      default -> false;
    };
  }

  private static boolean isOfObject(Method method) {
    return Stream.of(Object.class.getMethods())
        .anyMatch(known ->
            known.getName().equals(method.getName())
                && Arrays.equals(known.getParameterTypes(), method.getParameterTypes()));
  }

  @Override
  public @Nullable Object invoke(Object proxy, Method called, @Nullable Object @Nullable [] args) {
    Method method = methods.get(called.getName());
    if (isOfObject(called) || method == null) {
      return ofObject(proxy, called, args);
    }
    return steps.run(method.getName(), resultType(method), () -> execute(method, args), args);
  }

  private @Nullable Object execute(Method method, @Nullable Object @Nullable [] args)
      throws Exception {
    try {
      return method.invoke(implementation, args);
    } catch (InvocationTargetException e) {
      // The step failed with what the implementation threw, and that is what is recorded.
      switch (e.getCause()) {
        case Exception failure -> throw failure;
        case Error bug -> throw bug;
        case null, default -> throw e;
      }
    }
  }

  private static Type resultType(Method method) {
    Type type = method.getGenericReturnType();
    return type.equals(Void.class) ? StepRunner.NOTHING : type;
  }

  /** A group is itself and nothing else; asking about it is no step. */
  @SuppressWarnings("ReferenceEquality")
  private Object ofObject(Object proxy, Method called, @Nullable Object @Nullable [] args) {
    return switch (called.getName()) {
      case "equals" -> args != null && proxy == args[0];
      case "hashCode" -> System.identityHashCode(proxy);
      default -> "steps of " + TypeRef.of(type);
    };
  }
}
