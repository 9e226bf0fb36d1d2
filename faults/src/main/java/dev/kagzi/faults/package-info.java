/**
 * Ways to break things on purpose that the tests of several modules share. Knows JDBC and sockets;
 * nothing of Kagzi's, and nothing that runs in production.
 */
@NullMarked
package dev.kagzi.faults;

import org.jspecify.annotations.NullMarked;
