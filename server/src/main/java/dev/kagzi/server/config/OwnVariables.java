package dev.kagzi.server.config;

import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Tells the variables meant for a server from all others. Stateless and thread-safe. */
final class OwnVariables {
  private static final String PREFIX = "KAGZI_";

  /**
   * Kubernetes gives every pod such variables for every service of its namespace, so that a service
   * called {@code kagzi} would otherwise keep the server from starting.
   */
  private static final Pattern SERVICE_LINK =
      Pattern.compile("KAGZI_(\\w+_)?(SERVICE_HOST|SERVICE_PORT\\w*|PORT_\\d+_(TCP|UDP|SCTP)\\w*)");

  private static final Pattern SERVICE_ADDRESS = Pattern.compile("(tcp|udp|sctp)://.*");

  private OwnVariables() {}

  /** An empty variable counts as none, because compose files pass on what is not set. */
  static Map<String, String> of(Map<String, String> environment) {
    return environment.entrySet().stream()
        .filter(variable -> variable.getKey().startsWith(PREFIX))
        .filter(variable -> !variable.getValue().isEmpty())
        .filter(variable -> !ConfigKeys.FOREIGN_VARIABLES.contains(variable.getKey()))
        .filter(variable -> !isServiceLink(variable.getKey(), variable.getValue()))
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  private static boolean isServiceLink(String name, String value) {
    return SERVICE_LINK.matcher(name).matches()
        || (name.endsWith("_PORT") && SERVICE_ADDRESS.matcher(value).matches());
  }
}
