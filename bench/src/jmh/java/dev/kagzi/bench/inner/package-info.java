/** The hot inner parts alone, without a database or a network; see the parent package. */
package dev.kagzi.bench.inner;
