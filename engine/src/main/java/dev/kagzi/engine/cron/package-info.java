/** Cron expressions: reading them, saying them in words, and the moments they mean. */
@NullMarked
package dev.kagzi.engine.cron;

import org.jspecify.annotations.NullMarked;
