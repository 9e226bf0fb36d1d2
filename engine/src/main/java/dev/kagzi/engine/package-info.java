/**
 * The engine: everything Kagzi does with its database, ready to be started. It knows nothing of the
 * wire; servers translate between the two.
 */
@NullMarked
package dev.kagzi.engine;

import org.jspecify.annotations.NullMarked;
