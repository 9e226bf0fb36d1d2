/** {@code kagzi top}: a view of a server at work that is drawn again every second. */
@NullMarked
package dev.kagzi.cli.top;

import org.jspecify.annotations.NullMarked;
