package dev.kagzi.sdk.fake;

import dev.kagzi.sdk.internal.ChannelFactory;
import io.grpc.ManagedChannel;
import io.grpc.inprocess.InProcessChannelBuilder;

/** Opens channels to fake servers. */
public final class InProcessChannels implements ChannelFactory {

  static final String SCHEME = "inprocess:";

  @Override
  public boolean handles(String address) {
    return address.startsWith(SCHEME);
  }

  @Override
  public ManagedChannel open(String address) {
    return InProcessChannelBuilder.forName(address.substring(SCHEME.length())).build();
  }
}
