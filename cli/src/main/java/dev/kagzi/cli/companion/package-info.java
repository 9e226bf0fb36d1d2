/**
 * A program of the user's that runs beside a development server: started, watched, restarted and
 * ended. Nothing here knows a server.
 */
@NullMarked
package dev.kagzi.cli.companion;

import org.jspecify.annotations.NullMarked;
