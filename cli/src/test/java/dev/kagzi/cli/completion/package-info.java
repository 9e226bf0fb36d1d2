/** Tests of {@code kagzi completion}. */
@NullMarked
package dev.kagzi.cli.completion;

import org.jspecify.annotations.NullMarked;
