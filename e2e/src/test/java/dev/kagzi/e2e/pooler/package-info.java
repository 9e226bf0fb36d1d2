/** Kagzi where a connection pooler in transaction mode stands before the database. */
@NullMarked
package dev.kagzi.e2e.pooler;

import org.jspecify.annotations.NullMarked;
