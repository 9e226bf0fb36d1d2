@NullMarked
package dev.kagzi.bench.driver;

import org.jspecify.annotations.NullMarked;
