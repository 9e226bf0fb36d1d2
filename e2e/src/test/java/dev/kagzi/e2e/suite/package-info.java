/**
 * What a user may rely on, tried through the public SDK alone, on a server behind a port and on one
 * inside the JVM. Beside it the figures that need the whole system.
 */
@NullMarked
package dev.kagzi.e2e.suite;

import org.jspecify.annotations.NullMarked;
