/**
 * Group commit: many callers, one transaction. Callers hand in commands and wait; a few lanes take
 * whatever has queued up and write it with one statement per kind. No caller gets an answer before
 * the commit that makes it true.
 */
@NullMarked
package dev.kagzi.engine.commit;

import org.jspecify.annotations.NullMarked;
