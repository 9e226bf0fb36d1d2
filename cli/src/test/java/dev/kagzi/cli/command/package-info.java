/** Tests of what commands share. */
@NullMarked
package dev.kagzi.cli.command;

import org.jspecify.annotations.NullMarked;
