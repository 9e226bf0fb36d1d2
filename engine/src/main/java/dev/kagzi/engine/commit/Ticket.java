package dev.kagzi.engine.commit;

import java.util.concurrent.CompletableFuture;

/** A command and the caller who waits for its answer. */
record Ticket<C>(C command, CompletableFuture<Object> answer) {

  Ticket(C command) {
    this(command, new CompletableFuture<>());
  }
}
