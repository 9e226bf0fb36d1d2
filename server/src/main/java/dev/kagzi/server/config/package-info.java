/**
 * What can be set on a server, where each value came from, and the typed settings that the wiring
 * hands on. Nothing here opens a port or a connection, and no other room reads flags, environment
 * variables or files.
 */
@NullMarked
package dev.kagzi.server.config;

import org.jspecify.annotations.NullMarked;
