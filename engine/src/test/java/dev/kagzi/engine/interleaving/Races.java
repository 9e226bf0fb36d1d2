package dev.kagzi.engine.interleaving;

import java.util.List;
import java.util.stream.Stream;

/** All races, in their order. */
public final class Races {

  private Races() {}

  static Stream<Race> all() {
    return Stream.of(
            LeaseRaces.all(), HandoffRaces.all(), EndRaces.all(), StartRaces.all(), NewsRaces.all())
        .flatMap(some -> some);
  }

  /** The place of a race among them, for who wants to see it alone. */
  public static int indexOf(String name) {
    List<String> names = all().map(Race::name).toList();
    int index = names.indexOf(name);
    if (index < 0) {
      throw new IllegalArgumentException("no race is called '%s'".formatted(name));
    }
    return index;
  }
}
