/**
 * Every SQL statement of the engine, as fixed text next to the method that runs it. A method is one
 * statement with one meaning and takes the open transaction; none opens one, none decides anything.
 */
@NullMarked
package dev.kagzi.engine.store;

import org.jspecify.annotations.NullMarked;
