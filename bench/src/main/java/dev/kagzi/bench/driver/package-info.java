/**
 * What puts load on a contender and measures it, in a process of its own: written once, the same
 * for Kagzi, its peers and the floor. Uses nothing but the JDK, because the peers load it beside
 * libraries that do not agree with ours.
 */
@NullMarked
package dev.kagzi.bench.driver;

import org.jspecify.annotations.NullMarked;
