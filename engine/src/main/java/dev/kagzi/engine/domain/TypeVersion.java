package dev.kagzi.engine.domain;

/** A workflow type together with one version of it; the empty version is the unversioned code. */
public record TypeVersion(String workflowType, String version) {}
