package dev.kagzi.sdk;

import org.jspecify.annotations.Nullable;

/** No Kagzi server answered in time. Nothing is known to be wrong with the request itself. */
public final class ServerUnavailableException extends KagziException {

  private static final long serialVersionUID = 1;

  private final String address;

  /**
   * Says where a server was expected.
   *
   * @param address the address or addresses tried
   * @param origin where the address came from, such as {@code KagziClient.connect}
   */
  public ServerUnavailableException(String address, String origin, @Nullable Throwable cause) {
    super(
        """
        No Kagzi server answers at %s (address given to %s). \
        Start one with `kagzi dev` or `kagzi server`, or give the address of a running one.\
        """
            .formatted(address, origin),
        cause);
    this.address = address;
  }

  /** The address or addresses tried. */
  public String address() {
    return address;
  }
}
