/** What PostgreSQL alone can do: the rows that Kagzi writes, written by plain JDBC. */
@NullMarked
package dev.kagzi.bench.floor;

import org.jspecify.annotations.NullMarked;
