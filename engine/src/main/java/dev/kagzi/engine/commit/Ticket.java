package dev.kagzi.engine.commit;

import java.util.concurrent.CompletableFuture;

/**
 * A command and the caller who waits for its answer.
 *
 * @param afterwards what is done once everybody of the same batch has been answered
 */
record Ticket<C>(C command, CompletableFuture<Object> answer, Runnable afterwards) {

  Ticket(C command) {
    this(command, () -> {});
  }

  Ticket(C command, Runnable afterwards) {
    this(command, new CompletableFuture<>(), afterwards);
  }
}
