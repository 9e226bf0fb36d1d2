/**
 * Tests of workflows: the real engine on a real PostgreSQL, a time that the test moves, steps that
 * are replaced or fail on demand, and workers that are lost. Nothing here is for production.
 */
@NullMarked
package dev.kagzi.testing;

import org.jspecify.annotations.NullMarked;
