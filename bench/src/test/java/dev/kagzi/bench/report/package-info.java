@NullMarked
package dev.kagzi.bench.report;

import org.jspecify.annotations.NullMarked;
