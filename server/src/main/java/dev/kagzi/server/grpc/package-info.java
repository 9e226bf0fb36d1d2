/**
 * The gRPC edge: endpoints that check a request, hand it to the engine and map the answer. Nothing
 * here decides what happens to a run, and nothing here knows the database.
 */
@NullMarked
package dev.kagzi.server.grpc;

import org.jspecify.annotations.NullMarked;
