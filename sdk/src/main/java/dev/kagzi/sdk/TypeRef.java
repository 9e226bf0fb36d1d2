package dev.kagzi.sdk;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A type with its type arguments, which a class literal cannot hold: {@code new
 * TypeRef<List<Label>>() {}} or {@code TypeRef.listOf(Label.class)}. Immutable and thread-safe.
 *
 * @param <T> the type
 */
public abstract class TypeRef<T extends @Nullable Object> {

  private final Type type;

  /** For anonymous subclasses, which carry their type argument. */
  protected TypeRef() {
    if (!(getClass().getGenericSuperclass() instanceof ParameterizedType parent)
        || parent.getRawType() != TypeRef.class) {
      throw new IllegalArgumentException(
          "TypeRef without a type argument (expected: new TypeRef<List<Label>>() {})");
    }
    this.type = parent.getActualTypeArguments()[0];
  }

  private TypeRef(Type type) {
    this.type = type;
  }

  /** The same as a class literal. */
  public static <T extends @Nullable Object> TypeRef<T> of(Class<T> type) {
    return new Known<>(type);
  }

  /** {@code List<E>}. */
  public static <E extends @Nullable Object> TypeRef<List<E>> listOf(Class<E> element) {
    return new Known<>(new Parameterized(List.class, List.of(element)));
  }

  /** {@code Map<K, V>}. */
  public static <K extends @Nullable Object, V extends @Nullable Object> TypeRef<Map<K, V>> mapOf(
      Class<K> key, Class<V> value) {
    return new Known<>(new Parameterized(Map.class, List.of(key, value)));
  }

  /** The type as reflection knows it. */
  public final Type type() {
    return type;
  }

  @Override
  public final boolean equals(@Nullable Object other) {
    return other instanceof TypeRef<?> that && type.equals(that.type);
  }

  @Override
  public final int hashCode() {
    return type.hashCode();
  }

  @Override
  public final String toString() {
    return type.getTypeName();
  }

  private static final class Known<T extends @Nullable Object> extends TypeRef<T> {
    Known(Type type) {
      super(type);
    }
  }

  private record Parameterized(Class<?> raw, List<Type> arguments) implements ParameterizedType {

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
      return null;
    }

    @Override
    public String toString() {
      String inner = String.join(", ", arguments.stream().map(Type::getTypeName).toList());
      return raw.getTypeName() + "<" + inner + ">";
    }
  }
}
