/**
 * A small toolkit over JDBC: transactions that are repeated when that is safe, named parameters,
 * arrays, rows. No word of Kagzi's own vocabulary belongs here.
 */
@NullMarked
package dev.kagzi.engine.jdbc;

import org.jspecify.annotations.NullMarked;
