/** Tests of {@code kagzi doctor}. */
@NullMarked
package dev.kagzi.cli.doctor;

import org.jspecify.annotations.NullMarked;
