/**
 * How a test holds engine, time and worker in its hand. Not part of the API: it may change with
 * every release.
 */
@NullMarked
package dev.kagzi.testing.internal;

import org.jspecify.annotations.NullMarked;
