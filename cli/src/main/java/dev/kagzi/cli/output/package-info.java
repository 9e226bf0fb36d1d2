/**
 * How answers look: formats, tables, colours, times. Nothing here calls a server or knows a
 * command.
 */
@NullMarked
package dev.kagzi.cli.output;

import org.jspecify.annotations.NullMarked;
