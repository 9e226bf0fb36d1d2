/** The real command in processes of its own: what it prints, how it ends, what it leaves behind. */
@NullMarked
package dev.kagzi.e2e.cli;

import org.jspecify.annotations.NullMarked;
