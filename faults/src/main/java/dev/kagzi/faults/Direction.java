package dev.kagzi.faults;

/** Which way bytes go through a {@link TcpProxy}. */
public enum Direction {
  /** From the client that connected to the target behind the proxy. */
  TO_TARGET,
  /** From the target back to the client. */
  TO_CLIENT
}
