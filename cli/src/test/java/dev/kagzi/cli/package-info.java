/** Tests of the command without a process of its own; what needs one is in the e2e module. */
@NullMarked
package dev.kagzi.cli;

import org.jspecify.annotations.NullMarked;
