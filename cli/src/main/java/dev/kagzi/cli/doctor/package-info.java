/** {@code kagzi doctor}: what is commonly wrong, one class per place where it can be seen. */
@NullMarked
package dev.kagzi.cli.doctor;

import org.jspecify.annotations.NullMarked;
