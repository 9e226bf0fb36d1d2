/**
 * What a caller can ask of the engine, one class per noun. Transactions are opened here and in the
 * packages above; rules live in the domain, statements in the stores.
 */
@NullMarked
package dev.kagzi.engine.operation;

import org.jspecify.annotations.NullMarked;
