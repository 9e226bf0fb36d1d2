/**
 * The engine's rules written down a second time, as plain maps and a time that stands still, and
 * random histories that the two must agree about. Nothing in here knows SQL but what reads the
 * engine's state for comparison.
 */
@NullMarked
package dev.kagzi.engine.model;

import org.jspecify.annotations.NullMarked;
