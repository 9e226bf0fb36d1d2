/**
 * The {@code kagzi} command: what a person types, what is printed back, and when everything stops.
 * Nothing here knows how a run works; commands wire a server, a PostgreSQL or a client and let them
 * do it.
 */
@NullMarked
package dev.kagzi.cli;

import org.jspecify.annotations.NullMarked;
