package dev.kagzi.embedded.internal;

import dev.kagzi.sdk.internal.ChannelFactory;
import io.grpc.ManagedChannel;
import io.grpc.inprocess.InProcessChannelBuilder;

/** Opens channels to servers of this JVM. Thread-safe. */
public final class InProcessChannels implements ChannelFactory {

  private static final String SCHEME = "inprocess:";

  /** For {@link java.util.ServiceLoader}. */
  public InProcessChannels() {}

  /** The address of the server with this name. */
  public static String addressOf(String name) {
    return SCHEME + name;
  }

  @Override
  public boolean handles(String address) {
    return address.startsWith(SCHEME);
  }

  @Override
  public ManagedChannel open(String address) {
    return InProcessChannelBuilder.forName(address.substring(SCHEME.length())).build();
  }
}
