/** Tests of the commands about batches, each against a real server. */
@NullMarked
package dev.kagzi.cli.batch;

import org.jspecify.annotations.NullMarked;
