/**
 * What is counted and measured, in the form that Prometheus reads. It hears of events through the
 * engine's telemetry and looks at the database only when somebody asks.
 */
@NullMarked
package dev.kagzi.server.metrics;

import org.jspecify.annotations.NullMarked;
