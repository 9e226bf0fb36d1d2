/**
 * What every call of the command has: streams, environment, a line of progress, a lifetime, an exit
 * code. Nothing here knows a server, a run or a command.
 */
@NullMarked
package dev.kagzi.cli.shell;

import org.jspecify.annotations.NullMarked;
