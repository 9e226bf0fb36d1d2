/** Small programs, one idea each. Nothing here is needed to run Kagzi. */
@NullMarked
package dev.kagzi.examples;

import org.jspecify.annotations.NullMarked;
