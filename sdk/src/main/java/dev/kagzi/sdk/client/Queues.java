package dev.kagzi.sdk.client;

import dev.kagzi.core.Names;
import dev.kagzi.sdk.QueueView;
import dev.kagzi.sdk.internal.FleetCalls;
import java.util.List;
import java.util.Optional;

/**
 * The task queues of the namespace that have work or workers. All methods throw {@link
 * dev.kagzi.sdk.ServerUnavailableException} if no server answers. Thread-safe.
 */
public final class Queues {

  private final FleetCalls calls;

  Queues(FleetCalls calls) {
    this.calls = calls;
  }

  /** All queues by name, with what waits there and who serves it. */
  public Listing<QueueView> list() {
    return new Listing<>((size, token) -> calls.queues(List.of(), size, token));
  }

  /** One queue; empty if it has neither work nor workers. */
  public Optional<QueueView> get(String name) {
    return calls.queues(List.of(Names.check("queue", name)), 1, "").items().stream().findFirst();
  }
}
