package dev.kagzi.spring;

import dev.kagzi.sdk.client.ClientBuilder;
import dev.kagzi.sdk.worker.WorkerBuilder;

/**
 * Changes the client and the worker before they are built, after the properties were applied. Any
 * number of beans may; they are asked in their {@linkplain
 * org.springframework.core.annotation.Order order}.
 */
public interface KagziCustomizer {

  /** Sets what has no property, such as a codec. */
  default void customize(ClientBuilder client) {}

  /** Sets what has no property: a codec, retries, further workflows. */
  default void customize(WorkerBuilder worker) {}
}
