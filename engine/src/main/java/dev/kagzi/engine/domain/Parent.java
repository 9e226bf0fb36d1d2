package dev.kagzi.engine.domain;

/** Where a child comes from: the run, and the step of it that has started the child. */
public record Parent(RunId runId, String stepKey, ParentClosePolicy closePolicy) {}
