package dev.kagzi.engine.domain;

/** What a late writer must know about a run that has ended. */
public record EndedRun(RunId runId, String namespace, RunStatus status, int epoch) {}
