/** Mechanisms are taken out of the code one at a time, and a named test must notice. */
@NullMarked
package dev.kagzi.engine.mutation;

import org.jspecify.annotations.NullMarked;
