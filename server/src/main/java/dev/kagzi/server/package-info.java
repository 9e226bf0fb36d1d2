/**
 * The server put together: database, engine, gRPC and HTTP, in the order in which they start. What
 * a request means is decided below, in the engine; what it looks like, in the edges beside this.
 */
@NullMarked
package dev.kagzi.server;

import org.jspecify.annotations.NullMarked;
