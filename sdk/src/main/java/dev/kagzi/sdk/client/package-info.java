/**
 * Starting runs and waiting for what comes of them, from any program. Nothing here executes a
 * workflow.
 */
@NullMarked
package dev.kagzi.sdk.client;

import org.jspecify.annotations.NullMarked;
