package dev.kagzi.sdk.internal;

import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.util.ServiceLoader;
import java.util.concurrent.TimeUnit;

/** Opens channels: by an installed {@link ChannelFactory}, else in plain text over TCP. */
final class Channels {

  /** The largest message on the wire, on both sides. */
  static final int MAX_MESSAGE_BYTES = 4 * 1024 * 1024;

  /** A dead connection is noticed within the sum of these two, also without any traffic. */
  private static final long KEEPALIVE_SECONDS = 20;

  private static final long KEEPALIVE_TIMEOUT_SECONDS = 10;

  private Channels() {}

  static ManagedChannel open(String target) {
    for (ChannelFactory factory :
        ServiceLoader.load(ChannelFactory.class, ChannelFactory.class.getClassLoader())) {
      if (factory.handles(target)) {
        return factory.open(target);
      }
    }
    return NettyChannelBuilder.forTarget(target)
        .usePlaintext()
        .maxInboundMessageSize(MAX_MESSAGE_BYTES)
        .keepAliveTime(KEEPALIVE_SECONDS, TimeUnit.SECONDS)
        .keepAliveTimeout(KEEPALIVE_TIMEOUT_SECONDS, TimeUnit.SECONDS)
        .build();
  }
}
