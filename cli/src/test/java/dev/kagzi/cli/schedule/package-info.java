/** Tests of the commands about schedules, each against a real server. */
@NullMarked
package dev.kagzi.cli.schedule;

import org.jspecify.annotations.NullMarked;
