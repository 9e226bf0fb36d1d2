/**
 * The contract as JSON over HTTP: every unary call by the route that its annotation gives it, and a
 * description of all of them. It knows descriptors and a channel, and none of the calls by name.
 */
@NullMarked
package dev.kagzi.server.json;

import org.jspecify.annotations.NullMarked;
