/**
 * How the SDK finds a server of its own JVM. Not part of the API: only {@link
 * java.util.ServiceLoader} looks here.
 */
@NullMarked
package dev.kagzi.embedded.internal;

import org.jspecify.annotations.NullMarked;
