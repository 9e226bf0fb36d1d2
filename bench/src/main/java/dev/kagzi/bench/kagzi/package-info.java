/** Kagzi as a contender: its workflows, its worker, and the two ways to run it. */
@NullMarked
package dev.kagzi.bench.kagzi;

import org.jspecify.annotations.NullMarked;
