/** Tests of the commands about runs, each against a real server. */
@NullMarked
package dev.kagzi.cli.workflow;

import org.jspecify.annotations.NullMarked;
