/**
 * Measures Kagzi, its peers and what PostgreSQL can do at best, in one run and on one machine.
 *
 * <p>The process that the person at the keyboard has started starts each system as processes of its
 * own ({@code .system}), has their drivers put load on them in turn ({@code .driver}; {@code
 * .kagzi} and {@code .floor} are driven here, the peers in a module of their own), and collects and
 * prints what they measure ({@code .workload}, {@code .report}).
 *
 * <p>The hot inner parts (batcher, codec, replay, cron) are measured alone, by JMH, from {@code
 * src/jmh}: {@code mvn -Pjmh -pl bench -am -DskipTests test}, with {@code -Djmh.args="Codec -f 1"}
 * for some of them. Nothing of that gets onto the command's class path.
 */
@NullMarked
package dev.kagzi.bench;

import org.jspecify.annotations.NullMarked;
