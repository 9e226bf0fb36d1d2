package dev.kagzi.testing.internal;

import dev.kagzi.sdk.internal.ChannelFactory;
import io.grpc.ManagedChannel;
import io.grpc.inprocess.InProcessChannelBuilder;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Opens channels to servers of tests, with somebody who listens. Known to the SDK by {@link
 * java.util.ServiceLoader}, which makes its own instance: so what is open is kept beside it.
 * Thread-safe.
 */
public final class TestChannels implements ChannelFactory {

  private static final String SCHEME = "kagzi-test:";
  private static final Map<String, WorkerWire> OPEN = new ConcurrentHashMap<>();

  /** For {@link java.util.ServiceLoader}. */
  public TestChannels() {}

  /** Makes a server known; returns its address. */
  static String open(String name, WorkerWire wire) {
    OPEN.put(name, wire);
    return SCHEME + name;
  }

  static void forget(String name) {
    OPEN.remove(name);
  }

  @Override
  public boolean handles(String address) {
    return address.startsWith(SCHEME);
  }

  @Override
  public ManagedChannel open(String address) {
    String name = address.substring(SCHEME.length());
    @Nullable WorkerWire wire = OPEN.get(name);
    if (wire == null) {
      throw new IllegalStateException(
          "address: %s (expected: a test that is not over yet)".formatted(address));
    }
    return InProcessChannelBuilder.forName(name).intercept(wire).build();
  }
}
