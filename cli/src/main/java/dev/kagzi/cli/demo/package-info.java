/**
 * The demonstration: an order whose worker is killed half-way, told from what really happened.
 * Nothing here shortens a timeout or knows about flags and exit codes.
 */
@NullMarked
package dev.kagzi.cli.demo;

import org.jspecify.annotations.NullMarked;
