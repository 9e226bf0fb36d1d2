/**
 * Other systems as contenders, each as its makers document it: with default settings, and in the
 * fastest way they describe. DBOS Transact runs in the process that asks for work; Restate has a
 * server, a service and a client.
 */
@NullMarked
package dev.kagzi.peers;

import org.jspecify.annotations.NullMarked;
