/**
 * The line to a server: which one, who said so, and what it means when it does not answer. Nothing
 * here knows a command.
 */
@NullMarked
package dev.kagzi.cli.client;

import org.jspecify.annotations.NullMarked;
