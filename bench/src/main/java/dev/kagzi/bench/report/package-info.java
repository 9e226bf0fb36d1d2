/** Figures, their names, and how they are printed. */
@NullMarked
package dev.kagzi.bench.report;

import org.jspecify.annotations.NullMarked;
