package dev.kagzi.engine.domain;

/**
 * Where the code of a workflow and the history of a run part.
 *
 * @param expected what the history holds
 * @param found what the code asked for instead; empty if it came to its end
 */
public record Divergence(String expected, String found, String message) {}
