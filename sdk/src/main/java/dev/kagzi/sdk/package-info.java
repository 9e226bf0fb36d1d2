/**
 * What an author of workflows reads: workflows, their context, steps, type tokens and the
 * exceptions that reach user code. Nothing here speaks to a server or knows how a run is executed.
 */
@NullMarked
package dev.kagzi.sdk;

import org.jspecify.annotations.NullMarked;
