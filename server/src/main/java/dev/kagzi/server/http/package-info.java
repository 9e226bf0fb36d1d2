/**
 * The HTTP edge: what load balancers and people with a browser ask. It takes what it shows as plain
 * values, and never reaches into the engine.
 */
@NullMarked
package dev.kagzi.server.http;

import org.jspecify.annotations.NullMarked;
