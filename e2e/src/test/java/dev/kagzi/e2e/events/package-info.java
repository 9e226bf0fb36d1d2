/** Runs that are sent something, and that show something, through the whole system. */
@NullMarked
package dev.kagzi.e2e.events;

import org.jspecify.annotations.NullMarked;
