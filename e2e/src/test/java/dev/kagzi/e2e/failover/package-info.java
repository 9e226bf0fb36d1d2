/** What becomes of acknowledged work when the database moves to another machine. */
@NullMarked
package dev.kagzi.e2e.failover;

import org.jspecify.annotations.NullMarked;
