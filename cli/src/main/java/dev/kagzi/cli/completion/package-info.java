/** {@code kagzi completion}: the tree of commands as scripts for shells. */
@NullMarked
package dev.kagzi.cli.completion;

import org.jspecify.annotations.NullMarked;
