package dev.kagzi.testing;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives each test a {@link TestKagzi} of its own, and closes it after the test. One that a
 * constructor or a {@code @BeforeAll} method takes is shared by all tests of the class.
 * Thread-safe, so tests may run in parallel.
 */
public final class KagziExtension implements ParameterResolver {

  private static final Namespace NAMESPACE = Namespace.create(KagziExtension.class);

  /** For JUnit. */
  public KagziExtension() {}

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
    return parameter.getParameter().getType().equals(TestKagzi.class);
  }

  @Override
  public TestKagzi resolveParameter(ParameterContext parameter, ExtensionContext test) {
    return test.getStore(NAMESPACE)
        .computeIfAbsent(TestKagzi.class, absent -> TestKagzi.open(), TestKagzi.class);
  }
}
