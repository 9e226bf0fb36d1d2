package dev.kagzi.engine.domain;

import java.time.Instant;

/** A durable timer a run is about to wait for. */
public record TimerWait(String stepKey, int seq, Instant wakeAt) {}
