/**
 * Kagzi inside your application: the same server, on your database, without a port. Workers and
 * clients of the same JVM reach it by its address, and need not know that it is near.
 */
@NullMarked
package dev.kagzi.embedded;

import org.jspecify.annotations.NullMarked;
