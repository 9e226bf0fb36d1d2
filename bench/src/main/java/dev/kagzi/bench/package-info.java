/**
 * Measures Kagzi, its peers and what PostgreSQL can do at best, in one run and on one machine.
 *
 * <p>The process that the person at the keyboard has started starts each system as processes of its
 * own ({@code .system}), has their drivers put load on them in turn ({@code .driver}; {@code
 * .kagzi} and {@code .floor} are driven here, the peers in a module of their own), and collects and
 * prints what they measure ({@code .workload}, {@code .report}).
 */
@NullMarked
package dev.kagzi.bench;

import org.jspecify.annotations.NullMarked;
