/** {@code kagzi init}: the skeleton of a project, as it is written and where it goes. */
@NullMarked
package dev.kagzi.cli.init;

import org.jspecify.annotations.NullMarked;
