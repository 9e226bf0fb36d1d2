/** Tests of how the demonstration is told and judged, without processes. */
@NullMarked
package dev.kagzi.cli.demo;

import org.jspecify.annotations.NullMarked;
