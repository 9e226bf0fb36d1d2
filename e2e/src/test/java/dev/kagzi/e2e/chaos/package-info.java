/**
 * The whole system under faults: random programs run on servers, workers and a database that are
 * killed, paused and cut off from each other, and afterwards everything that was promised is
 * checked.
 */
@NullMarked
package dev.kagzi.e2e.chaos;

import org.jspecify.annotations.NullMarked;
