/** Histories that real runs left, and code that is tried against them. */
@NullMarked
package dev.kagzi.e2e.replay;

import org.jspecify.annotations.NullMarked;
