/** {@code kagzi worker} and {@code kagzi queue}: who works, and on what. */
@NullMarked
package dev.kagzi.cli.fleet;

import org.jspecify.annotations.NullMarked;
