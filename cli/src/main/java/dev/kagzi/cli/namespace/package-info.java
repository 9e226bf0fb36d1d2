/** {@code kagzi namespace}. */
@NullMarked
package dev.kagzi.cli.namespace;

import org.jspecify.annotations.NullMarked;
