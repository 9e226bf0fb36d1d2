/** What commands share: ids, filters, inputs, questions. Nothing here is a command. */
@NullMarked
package dev.kagzi.cli.command;

import org.jspecify.annotations.NullMarked;
