package dev.kagzi.engine.domain;

/**
 * What the children of a fan-out have in common.
 *
 * @param template all but the input and the parent
 * @param maxConcurrent how many may be live at once; 0 means all
 */
public record ChildMap(StartRequest template, ParentClosePolicy closePolicy, int maxConcurrent) {}
