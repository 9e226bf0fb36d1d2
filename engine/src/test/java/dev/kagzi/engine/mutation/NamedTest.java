package dev.kagzi.engine.mutation;

import dev.kagzi.engine.interleaving.Races;
import java.util.Arrays;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.discovery.MethodSelector;

/**
 * A test that guards a mechanism.
 *
 * @param type its class, by its package below the engine's and its name
 * @param race which of the races, if it is one; else empty
 */
record NamedTest(String type, String method, String race) {

  private static final String RACES = "interleaving.InterleavingTest";

  static NamedTest of(String type, String method) {
    return new NamedTest(type, method, "");
  }

  static NamedTest race(String name) {
    return new NamedTest(RACES, "bothAreToldTheTruthInEveryOrder", name);
  }

  DiscoverySelector selector(ClassLoader loader) {
    MethodSelector test = methodSelector(loader);
    return race.isEmpty() ? test : DiscoverySelectors.selectIteration(test, Races.indexOf(race));
  }

  private MethodSelector methodSelector(ClassLoader loader) {
    try {
      Class<?> found = Class.forName("dev.kagzi.engine." + type, false, loader);
      return Arrays.stream(found.getDeclaredMethods())
          .filter(candidate -> candidate.getName().equals(method))
          .findFirst()
          .map(candidate -> DiscoverySelectors.selectMethod(found, candidate))
          .orElseThrow(() -> new IllegalStateException("there is no test " + this));
    } catch (ClassNotFoundException missing) {
      throw new IllegalStateException("there is no test " + this, missing);
    }
  }

  @Override
  public String toString() {
    return type + "." + method + (race.isEmpty() ? "" : " [" + race + "]");
  }
}
