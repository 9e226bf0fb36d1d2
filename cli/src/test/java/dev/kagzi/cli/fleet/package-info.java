/** Tests of the commands about workers and queues, each against a real server. */
@NullMarked
package dev.kagzi.cli.fleet;

import org.jspecify.annotations.NullMarked;
