/** Runs that start other runs and wait for them, through the whole system. */
@NullMarked
package dev.kagzi.e2e.children;

import org.jspecify.annotations.NullMarked;
