package dev.kagzi.server.config;

import java.util.regex.Pattern;

/** Where the server listens; port 0 takes any free one. Immutable. */
public record ListenConfig(String bindAddress, int grpcPort, int httpPort) {
  private static final Pattern NAME_OR_IPV4 = Pattern.compile("[\\w-]+(\\.[\\w-]+)*\\.?");
  private static final Pattern IPV6 = Pattern.compile("[0-9a-fA-F:.]*:[0-9a-fA-F:.]*(%\\w+)?");
  private static final Pattern HOST_AND_PORT = Pattern.compile("[^:]*:\\d+");
  private static final Pattern LOOPBACK =
      Pattern.compile("localhost\\.?|127\\.[0-9.]+|::1|(0+:){7}0*1", Pattern.CASE_INSENSITIVE);

  static ListenConfig from(Settings settings) {
    return new ListenConfig(
        settings.get(ConfigKeys.BIND_ADDRESS),
        settings.get(ConfigKeys.GRPC_PORT),
        settings.get(ConfigKeys.HTTP_PORT));
  }

  static boolean isBindAddress(String text) {
    return NAME_OR_IPV4.matcher(text).matches()
        || (IPV6.matcher(text).matches() && !HOST_AND_PORT.matcher(text).matches());
  }

  /** Whether only this machine can connect. */
  public boolean isLoopback() {
    return isLoopback(bindAddress);
  }

  static boolean isLoopback(String address) {
    return LOOPBACK.matcher(address).matches();
  }
}
