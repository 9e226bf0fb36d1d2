/** Tests of programs that run beside a development server. */
@NullMarked
package dev.kagzi.cli.companion;

import org.jspecify.annotations.NullMarked;
