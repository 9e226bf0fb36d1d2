package dev.kagzi.server.config;

import java.util.List;
import java.util.stream.Collectors;

/** The configuration cannot be used; the message has one line for each fault, all at once. */
public final class ConfigException extends RuntimeException {
  private final transient List<Fault> faults;

  ConfigException(List<Fault> faults) {
    super(faults.stream().map(Fault::toString).collect(Collectors.joining("\n")));
    this.faults = List.copyOf(faults);
  }

  public List<Fault> faults() {
    return faults;
  }
}
