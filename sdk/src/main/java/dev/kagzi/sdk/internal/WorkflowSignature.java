package dev.kagzi.sdk.internal;

import dev.kagzi.sdk.Workflow;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Input and output of a workflow, as its class declares them. Class signatures keep type arguments,
 * so that {@code class X implements Workflow<Order, Receipt>} needs no tokens; a lambda has none.
 *
 * @param input the type argument for the input
 * @param output the type argument for the output
 */
record WorkflowSignature(Type input, Type output) {

  /** Reads the signature of a workflow class. */
  static WorkflowSignature of(String type, Class<?> workflowClass) {
    ParameterizedType declared = find(workflowClass, Map.of());
    if (declared == null) {
      throw new IllegalArgumentException(
          """
          Workflow '%s': %s does not say what goes in and what comes out (expected: a class that \
          implements Workflow<In, Out>, or for a lambda \
          register(WorkflowType.of("%s", In.class, Out.class), lambda))\
          """
              .formatted(type, workflowClass.getName(), type));
    }
    Type[] arguments = declared.getActualTypeArguments();
    return new WorkflowSignature(arguments[0], arguments[1]);
  }

  /** Walks up until the interface is met with real types for all of its arguments. */
  private static @Nullable ParameterizedType find(
      Class<?> type, Map<TypeVariable<?>, Type> bindings) {
    for (Type parent : type.getGenericInterfaces()) {
      ParameterizedType found = match(parent, bindings);
      if (found != null) {
        return found;
      }
    }
    Type superclass = type.getGenericSuperclass();
    return superclass == null ? null : match(superclass, bindings);
  }

  private static @Nullable ParameterizedType match(
      Type parent, Map<TypeVariable<?>, Type> bindings) {
    if (parent instanceof Class<?> plain) {
      return plain == Workflow.class ? null : find(plain, Map.of());
    }
    if (!(parent instanceof ParameterizedType parameterized)) {
      return null;
    }
    Resolved resolved = Resolved.of(parameterized, bindings);
    if (resolved.raw() != Workflow.class) {
      return find(resolved.raw(), resolved.bindings());
    }
    return resolved.isComplete() ? resolved : null;
  }

  /** Refuses classes whose fields could carry state from one run into another. */
  static void refuseMutableState(Class<?> workflowClass) {
    for (Class<?> type = workflowClass;
        type != null && type != Object.class;
        type = type.getSuperclass()) {
      for (Field field : type.getDeclaredFields()) {
        int modifiers = field.getModifiers();
        if (!Modifier.isStatic(modifiers) && !Modifier.isFinal(modifiers) && !field.isSynthetic()) {
          throw new IllegalArgumentException(
              """
              %s.%s is not final (expected: only final fields, because one instance serves all \
              runs at the same time; keep a run's state in local variables)\
              """
                  .formatted(type.getName(), field.getName()));
        }
      }
    }
  }

  /** A parameterized type whose variables were replaced as far as they are known. */
  private record Resolved(Class<?> raw, List<Type> arguments, @Nullable Type owner)
      implements ParameterizedType {

    static Resolved of(ParameterizedType type, Map<TypeVariable<?>, Type> bindings) {
      List<Type> arguments =
          Arrays.stream(type.getActualTypeArguments())
              .map(argument -> substitute(argument, bindings))
              .toList();
      return new Resolved((Class<?>) type.getRawType(), arguments, type.getOwnerType());
    }

    private static Type substitute(Type type, Map<TypeVariable<?>, Type> bindings) {
      if (type instanceof TypeVariable<?> variable) {
        return bindings.getOrDefault(variable, variable);
      }
      return type instanceof ParameterizedType inner ? Resolved.of(inner, bindings) : type;
    }

    Map<TypeVariable<?>, Type> bindings() {
      var bindings = new HashMap<TypeVariable<?>, Type>();
      TypeVariable<?>[] variables = raw.getTypeParameters();
      for (int i = 0; i < variables.length; i++) {
        bindings.put(variables[i], arguments.get(i));
      }
      return bindings;
    }

    boolean isComplete() {
      return arguments.stream()
          .noneMatch(argument ->
              argument instanceof TypeVariable<?>
                  || (argument instanceof Resolved inner && !inner.isComplete()));
    }

    @Override
    public Type[] getActualTypeArguments() {
      return arguments.toArray(Type[]::new);
    }

    @Override
    public Type getRawType() {
      return raw;
    }

    @Override
    public @Nullable Type getOwnerType() {
      return owner;
    }

    @Override
    public String toString() {
      String inner = String.join(", ", arguments.stream().map(Type::getTypeName).toList());
      return raw.getTypeName() + "<" + inner + ">";
    }
  }
}
