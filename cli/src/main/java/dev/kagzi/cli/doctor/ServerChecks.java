package dev.kagzi.cli.doctor;

import dev.kagzi.cli.client.Server;
import dev.kagzi.cli.client.Setting;
import dev.kagzi.cli.output.Lengths;
import dev.kagzi.cli.output.Look;
import dev.kagzi.cli.output.Words;
import dev.kagzi.sdk.internal.ServerAddress;
import dev.kagzi.v1.ComponentHealth;
import dev.kagzi.v1.GetServerInfoRequest;
import dev.kagzi.v1.GetServerInfoResponse;
import dev.kagzi.v1.HealthCheckRequest;
import dev.kagzi.v1.HealthStatus;
import dev.kagzi.v1.Node;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Looks at a server: whether it serves, what it is, and how its parts are. */
final class ServerChecks {
  private static final Duration LIMIT = Duration.ofSeconds(15);

  /** Parts that are not loops, of which there are many and mostly well. */
  private static final Set<String> PARTS =
      Set.of("server", "database", "clock", "migrations", "workers", "listen", "memory");

  /** This machine itself, with a port. */
  private static final Pattern LOOPBACK =
      Pattern.compile("(localhost|127(\\.\\d{1,3}){3}|\\[::1]):\\d+");

  private final Server server;
  private final Optional<String> ownVersion;

  ServerChecks(Server server, Optional<String> ownVersion) {
    this.server = server;
    this.ownVersion = ownVersion;
  }

  List<Finding> look() {
    var info = server.admin(stub -> stub.getServerInfo(GetServerInfoRequest.getDefaultInstance()));
    var findings = new ArrayList<Finding>();
    findings.add(serving(health(), info.getServerVersion(), server.settings().address()));
    findings.add(line());
    ownVersion.flatMap(own -> version(own, info.getServerVersion())).ifPresent(findings::add);
    findings.add(database(info));
    findings.addAll(durability(info.getDatabase().getCapabilitiesList()));
    var health = server.admin(stub -> stub.healthCheck(HealthCheckRequest.getDefaultInstance()));
    findings.addAll(parts(health.getComponentsList()));
    findings.add(nodes(info.getNodesList()));
    return findings;
  }

  private ServingStatus health() {
    var request = io.grpc.health.v1.HealthCheckRequest.getDefaultInstance();
    return server.call(HealthGrpc::newBlockingStub, stub -> stub.check(request), LIMIT).getStatus();
  }

  static Finding serving(ServingStatus status, String version, Setting address) {
    var text =
        "server %s at %s from %s, gRPC health %s"
            .formatted(version, address.value(), address.origin(), status);
    return status == ServingStatus.SERVING
        ? Finding.ok(text)
        : Finding.problem(text + ": it takes no work; the lines below say why");
  }

  /** Neither TLS nor authentication exists, so where the line goes is all there is to look at. */
  private Finding line() {
    var address = server.settings().address();
    var away =
        ServerAddress.parse(address.value(), address.origin()).targets().stream()
            .filter(target -> !LOOPBACK.matcher(target).matches())
            .toList();
    return away.isEmpty()
        ? Finding.ok(
            "plain text without authentication, which is fine on the loopback address;"
                + " the server's bind_address says whether others reach it too")
        : Finding.warning(
            "plain text without authentication to %s: whoever reaches it can read and change all runs;"
                    .formatted(String.join(", ", away))
                + " keep it in a network of its own, or behind a proxy that has TLS and"
                + " authentication");
  }

  /** Nothing to say if both are the same. */
  static Optional<Finding> version(String own, String server) {
    if (own.equals(server)) {
      return Optional.empty();
    }
    return Optional.of(
        isUnpackaged(server)
            ? Finding.unknown(
                "the server runs from class folders and has no version to compare with %s, that of this command"
                    .formatted(own))
            : Finding.warning(
                "this command is %s and the server %s; use the same version of both"
                    .formatted(own, server)));
  }

  /** Whether a server was started from what a compiler wrote, and not from jars. */
  static boolean isUnpackaged(String serverVersion) {
    return serverVersion.equals("development");
  }

  private static Finding database(GetServerInfoResponse info) {
    var database = info.getDatabase();
    var skew = database.getClockSkew();
    return Finding.ok(
        "database %s %s, schema v%s, its clock is %d ms from the server's"
            .formatted(
                database.getProduct(),
                database.getVersion(),
                database.getSchemaVersion(),
                skew.getSeconds() * 1000 + skew.getNanos() / 1_000_000));
  }

  /** What is promised rests on commits that stay. */
  static List<Finding> durability(List<String> capabilities) {
    var findings = new ArrayList<Finding>();
    if (!capabilities.contains("durable-commits")) {
      findings.add(
          Finding.problem(
              "commits are not durable: fsync or synchronous_commit is off, and a crash of the"
                  + " database loses what was answered; set both to on"));
    }
    if (!capabilities.contains("writable")) {
      findings.add(
          Finding.problem(
              "the database is read only, perhaps a standby; point database.url to the primary"));
    }
    if (findings.isEmpty()) {
      findings.add(Finding.ok("commits are durable, and the database takes them"));
    }
    return findings;
  }

  static List<Finding> parts(List<ComponentHealth> parts) {
    var findings = new ArrayList<Finding>();
    var quiet = 0;
    for (var part : parts) {
      if (part.getStatus() == HealthStatus.HEALTH_STATUS_HEALTHY
          && !PARTS.contains(part.getName())) {
        quiet++;
      } else {
        findings.add(Finding.of(part.getStatus(), text(part)));
      }
    }
    findings.add(Finding.ok(Words.count(quiet, "background loop") + " at work"));
    return findings;
  }

  private static String text(ComponentHealth part) {
    var advice =
        part.getName().equals("listen") && part.getStatus() != HealthStatus.HEALTH_STATUS_HEALTHY
            ? "; behind a pooler, set database.direct_url to the database's own address"
            : "";
    return part.getName() + ": " + part.getMessage() + advice;
  }

  static Finding nodes(List<Node> nodes) {
    var alive = nodes.stream().filter(Node::getAlive).toList();
    var versions = alive.stream().map(Node::getVersion).distinct().toList();
    var text = Words.count(alive.size(), "server process") + " on this database";
    return versions.size() > 1
        ? Finding.warning(
            "%s, of versions %s; finish the upgrade"
                .formatted(text, String.join(" and ", versions)))
        : Finding.ok(text);
  }

  /** How long ago something was, in words. */
  static String age(com.google.protobuf.Timestamp since, java.time.Instant now) {
    return Lengths.exact(Duration.between(Look.instant(since), now));
  }
}
