/** Tests of {@code kagzi api}. */
@NullMarked
package dev.kagzi.cli.api;

import org.jspecify.annotations.NullMarked;
