/** Tests of {@code kagzi config}. */
@NullMarked
package dev.kagzi.cli.config;

import org.jspecify.annotations.NullMarked;
