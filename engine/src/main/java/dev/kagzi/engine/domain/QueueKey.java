package dev.kagzi.engine.domain;

/** A task queue of a namespace: what workers watch. */
public record QueueKey(String namespace, String taskQueue) {}
