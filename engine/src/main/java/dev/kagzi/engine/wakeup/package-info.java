/**
 * Who waits for what: pollers for work, callers for the end of a run. Only news travels here, never
 * state; a lost piece of news costs time and nothing else, because everybody also looks for
 * himself.
 */
@NullMarked
package dev.kagzi.engine.wakeup;

import org.jspecify.annotations.NullMarked;
