package dev.kagzi.engine.wakeup;

/** Everybody who wants to hear what a commit has made true. */
public record Signals(
    WorkSignals work, DoneSignals done, NewsSignals news, OrphanSignals orphans) {}
