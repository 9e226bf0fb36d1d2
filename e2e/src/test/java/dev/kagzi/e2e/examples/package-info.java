/** The programs of the examples module, run as a reader would run them. */
@NullMarked
package dev.kagzi.e2e.examples;

import org.jspecify.annotations.NullMarked;
