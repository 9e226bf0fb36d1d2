/**
 * Trying changed workflows against the histories of runs, without a server and without executing a
 * step. Nothing here talks to anybody.
 */
@NullMarked
package dev.kagzi.sdk.replay;

import org.jspecify.annotations.NullMarked;
