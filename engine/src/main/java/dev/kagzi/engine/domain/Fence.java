package dev.kagzi.engine.domain;

/**
 * What a worker shows with every write: which run it believes to hold, and since which claim. A
 * claim raises the epoch, so whoever lost the lease shows an old one and changes nothing.
 */
public record Fence(String namespace, RunId runId, int epoch) {}
