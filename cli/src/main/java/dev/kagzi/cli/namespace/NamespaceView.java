package dev.kagzi.cli.namespace;

import dev.kagzi.cli.command.Labels;
import dev.kagzi.cli.command.PageOptions;
import dev.kagzi.cli.output.Lengths;
import dev.kagzi.cli.output.Look;
import dev.kagzi.cli.output.Table;
import dev.kagzi.v1.ListNamespacesResponse;
import dev.kagzi.v1.Namespace;
import java.time.Duration;

/** Namespaces as people read them. Stateless. */
final class NamespaceView {
  private NamespaceView() {}

  static String table(ListNamespacesResponse response, Look look) {
    var table = new Table("NAMESPACE", "STATE", "RETENTION", "CREATED", "DESCRIPTION");
    for (var namespace : response.getNamespacesList()) {
      table.row(
          look.paint().strong(namespace.getNamespace()),
          state(namespace, look),
          retention(namespace),
          look.at(namespace.getCreatedAt()),
          Look.cut(namespace.getDescription(), 60));
    }
    return table.text()
        + PageOptions.footer(response.getNamespacesCount(), "namespace", response.getPage());
  }

  static String text(Namespace namespace, Look look) {
    var reason = namespace.getDisableReason();
    return """
    %s   %s%s
    description  %s
    retention    %s
    labels       %s
    created      %s   updated %s
    """
        .formatted(
            look.paint().strong(namespace.getNamespace()),
            state(namespace, look),
            reason.isEmpty() ? "" : "   " + reason,
            Look.orNone(namespace.getDescription()),
            retention(namespace),
            Labels.shown(namespace.getLabelsMap()),
            look.at(namespace.getCreatedAt()),
            look.at(namespace.getUpdatedAt()));
  }

  private static String state(Namespace namespace, Look look) {
    return namespace.getEnabled() ? look.paint().good("enabled") : look.paint().odd("disabled");
  }

  private static String retention(Namespace namespace) {
    if (namespace.getKeepForever()) {
      return "for ever";
    }
    return namespace.hasRetention()
        ? Lengths.exact(Duration.ofSeconds(namespace.getRetention().getSeconds()))
        : "the server's";
  }
}
