/** {@code kagzi workflow}, {@code kagzi run} and {@code kagzi step}: what is about runs. */
@NullMarked
package dev.kagzi.cli.workflow;

import org.jspecify.annotations.NullMarked;
