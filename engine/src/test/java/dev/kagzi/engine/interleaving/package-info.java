/** Every order in which the statements of two racing operations can reach the database. */
@NullMarked
package dev.kagzi.engine.interleaving;

import org.jspecify.annotations.NullMarked;
