/** Tests of the room of the same name, through its public door where it has one. */
@NullMarked
package dev.kagzi.sdk.replay;

import org.jspecify.annotations.NullMarked;
