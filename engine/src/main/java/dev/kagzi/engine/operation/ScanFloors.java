package dev.kagzi.engine.operation;

import dev.kagzi.engine.domain.TypeVersion;
import dev.kagzi.engine.store.ClaimStore.Scan;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where the search for due runs of a type begins. Claimed runs leave dead entries at the head of
 * the claim index until they are vacuumed, which a single long transaction anywhere in the database
 * can put off for hours; without a floor every claim walks over all of them.
 *
 * <p>A floor is a guess: a run may become visible below it, when its transaction took long or the
 * claim that had locked it was undone. So it is never newer than a few seconds ago, and it is
 * forgotten after as long. Thread-safe.
 */
final class ScanFloors {

  /** How far behind now a floor stays, and how long it is believed. */
  private static final Duration CAUTION = Duration.ofSeconds(5);

  private record Floor(Instant at, Instant forgottenAt) {}

  private final Map<TypeVersion, Floor> floors = new HashMap<>();

  synchronized List<Scan> scans(Collection<TypeVersion> types, Instant now) {
    floors.values().removeIf(floor -> !now.isBefore(floor.forgottenAt()));
    return types.stream().map(type -> new Scan(type, floorOf(type))).toList();
  }

  private Instant floorOf(TypeVersion type) {
    Floor floor = floors.get(type);
    return floor == null ? Instant.EPOCH : floor.at();
  }

  /**
   * Notes what a search has shown.
   *
   * @param oldest the earliest due time found; null if there was nothing of the type at all
   */
  synchronized void raise(TypeVersion type, @Nullable Instant oldest, Instant now) {
    Instant cautious = now.minus(CAUTION);
    Instant at = oldest != null && oldest.isBefore(cautious) ? oldest : cautious;
    // The end of its time stays as it is, so that the whole index is searched now and then.
    Floor known = floors.get(type);
    floors.put(type, new Floor(at, known == null ? now.plus(CAUTION) : known.forgottenAt()));
  }
}
