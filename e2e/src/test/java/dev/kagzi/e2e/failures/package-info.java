/**
 * What happens when things fail, tried through the public SDK alone: retries, timeouts, handlers,
 * sagas, and steps that must not happen twice.
 */
@NullMarked
package dev.kagzi.e2e.failures;

import org.jspecify.annotations.NullMarked;
