/** Tests of what every call of the command has. */
@NullMarked
package dev.kagzi.cli.shell;

import org.jspecify.annotations.NullMarked;
