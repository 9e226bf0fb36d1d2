package dev.kagzi.sdk;

/**
 * A workflow type in one of its versions. Immutable.
 *
 * @param type the name of the workflow type
 * @param version the version; empty is the unversioned code
 */
public record VersionedType(String type, String version) {}
