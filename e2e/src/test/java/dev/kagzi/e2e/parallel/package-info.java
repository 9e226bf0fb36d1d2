/**
 * Branches of runs through the public SDK, remote and embedded: that they overlap, what becomes of
 * the others when one fails or wins, and that a crash repeats only what was not finished.
 */
@NullMarked
package dev.kagzi.e2e.parallel;

import org.jspecify.annotations.NullMarked;
