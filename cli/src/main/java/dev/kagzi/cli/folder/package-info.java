/** What the commands do with folders as a whole. Nothing here knows what the folders are for. */
@NullMarked
package dev.kagzi.cli.folder;

import org.jspecify.annotations.NullMarked;
