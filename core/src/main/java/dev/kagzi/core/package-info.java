/**
 * Values and rules that the engine and the SDK must agree on: durations, step keys, names, ids,
 * error kinds, retry policies. Nothing here does I/O, knows the wire or knows the database.
 */
@NullMarked
package dev.kagzi.core;

import org.jspecify.annotations.NullMarked;
