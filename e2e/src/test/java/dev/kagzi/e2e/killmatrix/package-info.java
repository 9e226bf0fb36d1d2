/**
 * Servers that die at every moment of every transaction: while a caller's request is carried out
 * and while a loop does its work. Another server takes over, and nothing is lost or done twice.
 */
@NullMarked
package dev.kagzi.e2e.killmatrix;

import org.jspecify.annotations.NullMarked;
