/**
 * Nouns and rules of the engine without I/O: what a run, a step, a lease is and what may happen to
 * it. Everything that decides takes values and the time, and is tested without a database.
 */
@NullMarked
package dev.kagzi.engine.domain;

import org.jspecify.annotations.NullMarked;
