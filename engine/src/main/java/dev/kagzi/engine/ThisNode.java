package dev.kagzi.engine;

import dev.kagzi.engine.store.NodeStore;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.UUID;

/** The server process that an engine is part of, as others are to know it. */
final class ThisNode {

  private ThisNode() {}

  static NodeStore.Node of(EngineConfig.Node config) {
    return new NodeStore.Node(
        UUID.randomUUID(),
        hostname(),
        ProcessHandle.current().pid(),
        config.version(),
        config.embedded());
  }

  private static String hostname() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException unnamed) {
      return "unknown";
    }
  }
}
