/**
 * A server in memory that speaks the wire as a real one does, small enough to be read, with faults
 * to order. It is a peer to test the SDK against and knows nothing of the engine.
 */
@NullMarked
package dev.kagzi.sdk.fake;

import org.jspecify.annotations.NullMarked;
