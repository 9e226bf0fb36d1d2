/** {@code kagzi batch}, and how a batch is followed to its end. */
@NullMarked
package dev.kagzi.cli.batch;

import org.jspecify.annotations.NullMarked;
