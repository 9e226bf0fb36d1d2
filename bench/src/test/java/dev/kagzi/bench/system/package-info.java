@NullMarked
package dev.kagzi.bench.system;

import org.jspecify.annotations.NullMarked;
