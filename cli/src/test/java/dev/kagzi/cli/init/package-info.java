/** Tests of {@code kagzi init}. */
@NullMarked
package dev.kagzi.cli.init;

import org.jspecify.annotations.NullMarked;
