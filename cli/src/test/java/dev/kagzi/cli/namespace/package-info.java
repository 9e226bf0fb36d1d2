/** Tests of the commands about namespaces, each against a real server. */
@NullMarked
package dev.kagzi.cli.namespace;

import org.jspecify.annotations.NullMarked;
