/**
 * Work on its own clock, one file per loop, each with a {@code runOnce} that tests call. Every loop
 * is safe on any number of servers at once without a leader, and survives its own failures.
 */
@NullMarked
package dev.kagzi.engine.loop;

import org.jspecify.annotations.NullMarked;
