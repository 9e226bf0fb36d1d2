/** Tests of how answers look. */
@NullMarked
package dev.kagzi.cli.output;

import org.jspecify.annotations.NullMarked;
