/**
 * Kills, restarts and fail-over with real processes: what goes on elsewhere, how soon, and that
 * nothing is done twice. What can be shown inside one JVM is tested where it lives.
 */
@NullMarked
package dev.kagzi.e2e.recovery;

import org.jspecify.annotations.NullMarked;
