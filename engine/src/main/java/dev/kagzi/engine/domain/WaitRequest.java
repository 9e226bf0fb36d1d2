package dev.kagzi.engine.domain;

import java.time.Instant;

/** A wait that a worker wants recorded; the step it belongs to names it. */
public record WaitRequest(String stepKey, int seq, WaitKind kind, Instant wakeAt) {}
