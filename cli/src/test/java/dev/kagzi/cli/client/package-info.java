/** Tests of the line to a server. */
@NullMarked
package dev.kagzi.cli.client;

import org.jspecify.annotations.NullMarked;
