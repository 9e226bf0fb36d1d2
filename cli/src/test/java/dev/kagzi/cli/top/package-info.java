/** Tests of {@code kagzi top}. */
@NullMarked
package dev.kagzi.cli.top;

import org.jspecify.annotations.NullMarked;
