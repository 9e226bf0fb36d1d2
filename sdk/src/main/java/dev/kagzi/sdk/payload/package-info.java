/**
 * How values become the bytes that Kagzi carries, and bytes become values again. Nothing here knows
 * what the bytes are for.
 */
@NullMarked
package dev.kagzi.sdk.payload;

import org.jspecify.annotations.NullMarked;
