/** {@code kagzi api}: calls by name, as the server itself describes them. */
@NullMarked
package dev.kagzi.cli.api;

import org.jspecify.annotations.NullMarked;
