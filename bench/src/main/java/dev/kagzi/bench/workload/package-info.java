/** What is measured: one file for each workload. */
@NullMarked
package dev.kagzi.bench.workload;

import org.jspecify.annotations.NullMarked;
