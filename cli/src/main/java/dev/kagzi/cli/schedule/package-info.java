/** {@code kagzi schedule}. */
@NullMarked
package dev.kagzi.cli.schedule;

import org.jspecify.annotations.NullMarked;
