/**
 * The systems that are measured, as processes: how they are started, watched and ended. Nothing
 * here knows what is measured.
 */
@NullMarked
package dev.kagzi.bench.system;

import org.jspecify.annotations.NullMarked;
