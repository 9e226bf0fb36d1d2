/** {@code kagzi config}: the profiles of the person at the keyboard, shown and changed. */
@NullMarked
package dev.kagzi.cli.config;

import org.jspecify.annotations.NullMarked;
