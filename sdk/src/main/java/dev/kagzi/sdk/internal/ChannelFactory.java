package dev.kagzi.sdk.internal;

import io.grpc.ManagedChannel;

/**
 * Opens channels to addresses that are not {@code host:port}. Found by {@link
 * java.util.ServiceLoader}, so that the embedded server can offer its in-process transport without
 * the SDK depending on it. Implementations must be thread-safe.
 */
public interface ChannelFactory {

  /** Whether this factory knows how to reach such an address. */
  boolean handles(String address);

  /** Opens a new channel; the caller shuts it down. */
  ManagedChannel open(String address);
}
