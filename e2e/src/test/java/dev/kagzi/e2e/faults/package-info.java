/** The functional suite on a database that fails now and then. */
@NullMarked
package dev.kagzi.e2e.faults;

import org.jspecify.annotations.NullMarked;
