/**
 * House rules on source text: layout, sizes, names and whitespace, and the program that repairs the
 * layout. Nothing here knows what Kagzi does, and no other module may depend on it.
 */
@NullMarked
package dev.kagzi.tidy;

import org.jspecify.annotations.NullMarked;
