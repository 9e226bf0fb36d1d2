package dev.kagzi.sdk;

import org.jspecify.annotations.Nullable;

/** The server understood a request and refused it; the same request will be refused again. */
public final class RequestRefusedException extends KagziException {

  private static final long serialVersionUID = 1;

  private final String reason;

  /**
   * A refusal in the server's words.
   *
   * @param reason the stable word for it, such as {@code NAMESPACE_NOT_FOUND}
   * @param message the explanation for a person
   */
  public RequestRefusedException(String reason, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.reason = reason;
  }

  /** The stable word for why; programs may compare it. */
  public String reason() {
    return reason;
  }
}
