package dev.kagzi.bench.system;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What it takes to run the systems of others. Immutable.
 *
 * @param library the folder with the jars of their programs
 * @param restateServer the server of Restate; nothing where it is not to be had
 */
public record Peers(Path library, @Nullable Path restateServer) {
  static final String DBOS_PROGRAM = "dev.kagzi.peers.DbosProgram";
  static final String RESTATE_SERVICE = "dev.kagzi.peers.RestateServiceProgram";
  static final String RESTATE_DRIVER = "dev.kagzi.peers.RestateDriverProgram";
}
