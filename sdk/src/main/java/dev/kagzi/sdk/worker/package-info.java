/**
 * Executing runs: a worker, what it is made of and how it is taken down. Nothing here starts runs
 * or reads their results.
 */
@NullMarked
package dev.kagzi.sdk.worker;

import org.jspecify.annotations.NullMarked;
