/**
 * Requests that nobody should send, made from good ones by a seeded generator: over gRPC, as JSON
 * over HTTP and on work streams. Whatever they are, the server says whose fault it is and lives on.
 */
@NullMarked
package dev.kagzi.server.fuzz;

import org.jspecify.annotations.NullMarked;
