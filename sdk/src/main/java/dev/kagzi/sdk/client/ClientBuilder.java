package dev.kagzi.sdk.client;

import dev.kagzi.core.Names;
import dev.kagzi.sdk.internal.ServerAddress;
import dev.kagzi.sdk.internal.ServerConnection;
import dev.kagzi.sdk.internal.WorkflowCalls;
import dev.kagzi.sdk.payload.JacksonCodec;
import dev.kagzi.sdk.payload.PayloadCodec;

/** The settings of a {@link KagziClient}. Not thread-safe. */
public final class ClientBuilder {

  private final ServerAddress address;
  private String namespace = "";
  private PayloadCodec codec = new JacksonCodec();

  ClientBuilder(String address) {
    this.address = ServerAddress.parse(address, "KagziClient");
  }

  /** The namespace to work in; {@code default} unless said otherwise. */
  public ClientBuilder namespace(String namespace) {
    this.namespace = Names.check("namespace", namespace);
    return this;
  }

  /** How values become bytes; JSON by Jackson unless said otherwise. */
  public ClientBuilder codec(PayloadCodec codec) {
    this.codec = codec;
    return this;
  }

  /** Makes the client. It connects when it is used first. */
  public KagziClient connect() {
    return new KagziClient(new WorkflowCalls(ServerConnection.open(address), namespace), codec);
  }
}
