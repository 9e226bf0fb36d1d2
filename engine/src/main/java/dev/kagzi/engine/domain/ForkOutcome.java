package dev.kagzi.engine.domain;

/** A run made from another; also the answer to the repetition. */
public record ForkOutcome(RunId runId, RunStatus status, int copiedSteps) {}
