package dev.kagzi.server.grpc;

import dev.kagzi.engine.domain.Namespace;
import dev.kagzi.engine.operation.NamespaceRegistry;
import dev.kagzi.engine.operation.RunLists;
import dev.kagzi.v1.CreateNamespaceRequest;
import dev.kagzi.v1.CreateNamespaceResponse;
import dev.kagzi.v1.DisableNamespaceRequest;
import dev.kagzi.v1.DisableNamespaceResponse;
import dev.kagzi.v1.EnableNamespaceRequest;
import dev.kagzi.v1.EnableNamespaceResponse;
import dev.kagzi.v1.GetNamespaceRequest;
import dev.kagzi.v1.GetNamespaceResponse;
import dev.kagzi.v1.ListNamespacesRequest;
import dev.kagzi.v1.ListNamespacesResponse;
import dev.kagzi.v1.PageInfo;
import dev.kagzi.v1.UpdateNamespaceRequest;
import dev.kagzi.v1.UpdateNamespaceResponse;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Tenants between the wire and the engine. Thread-safe. */
final class NamespaceCalls {

  private static final int MAX_REMOVED_LABELS = 1000;

  /** How the engine writes that nothing is ever removed. */
  private static final Integer FOR_EVER = 0;

  private final NamespaceRegistry registry;

  NamespaceCalls(NamespaceRegistry registry) {
    this.registry = registry;
  }

  CreateNamespaceResponse create(CreateNamespaceRequest request) {
    new Validation()
        .name("namespace", request.getNamespace())
        .remark("description", request.getDescription())
        .wholeDays("retention", request.getRetention())
        .require(
            !(request.getKeepForever() && request.hasRetention()),
            "keep_forever",
            "is set beside retention (expected: one of the two)")
        .labels("labels", request.getLabelsMap())
        .done();
    NamespaceRegistry.Created created =
        registry.create(
            request.getNamespace(),
            new Namespace.Settings(
                request.getDescription(),
                request.getKeepForever() ? FOR_EVER : days(request.getRetention()),
                request.getLabelsMap()));
    return CreateNamespaceResponse.newBuilder()
        .setNamespace(toWire(created.namespace()))
        .setAlreadyExists(created.existed())
        .build();
  }

  GetNamespaceResponse get(GetNamespaceRequest request) {
    new Validation().optionalName("namespace", request.getNamespace()).done();
    Namespace namespace = registry.get(Requests.namespace(request.getNamespace()));
    return GetNamespaceResponse.newBuilder().setNamespace(toWire(namespace)).build();
  }

  ListNamespacesResponse list(ListNamespacesRequest request) {
    new Validation().page(request.getPageSize(), request.getPageToken()).done();
    NamespaceRegistry.Listed listed =
        registry.list(Requests.pageSize(request.getPageSize()), request.getPageToken());
    var page =
        PageInfo.newBuilder()
            .setNextPageToken(listed.nextPageToken())
            .setPrevPageToken(listed.prevPageToken())
            .setHasMore(listed.hasMore());
    if (request.getIncludeTotalCount()) {
      RunLists.Count count = registry.count();
      page.setTotalCount(count.count()).setTotalIsLowerBound(count.isLowerBound());
    }
    return ListNamespacesResponse.newBuilder()
        .addAllNamespaces(listed.namespaces().stream().map(NamespaceCalls::toWire).toList())
        .setPage(page)
        .build();
  }

  UpdateNamespaceResponse update(UpdateNamespaceRequest request) {
    new Validation()
        .optionalName("namespace", request.getNamespace())
        .remark("description", request.getDescription())
        .wholeDays("retention", request.getRetention())
        .require(
            !(request.getKeepForever() && request.hasRetention()),
            "keep_forever",
            "is set beside retention (expected: one of the two)")
        .labels("labels", request.getLabelsMap())
        .require(
            request.getRemoveLabelsCount() <= MAX_REMOVED_LABELS,
            "remove_labels",
            "has %d entries (expected: at most %d)"
                .formatted(request.getRemoveLabelsCount(), MAX_REMOVED_LABELS))
        .done();
    Namespace changed =
        registry.update(
            Requests.namespace(request.getNamespace()), before -> changed(before, request));
    return UpdateNamespaceResponse.newBuilder().setNamespace(toWire(changed)).build();
  }

  private static Namespace.Settings changed(
      Namespace.Settings before, UpdateNamespaceRequest request) {
    Map<String, String> labels = new HashMap<>(before.labels());
    request.getRemoveLabelsList().forEach(labels::remove);
    labels.putAll(request.getLabelsMap());
    new Validation().labels("labels", labels).done();
    return new Namespace.Settings(
        request.hasDescription() ? request.getDescription() : before.description(),
        retentionDays(before, request),
        labels);
  }

  private static @Nullable Integer retentionDays(
      Namespace.Settings before, UpdateNamespaceRequest request) {
    if (request.getKeepForever()) {
      return FOR_EVER;
    }
    return request.hasRetention() ? days(request.getRetention()) : before.retentionDays();
  }

  EnableNamespaceResponse enable(EnableNamespaceRequest request) {
    new Validation()
        .optionalName("namespace", request.getNamespace())
        .remark("reason", request.getReason())
        .done();
    Namespace namespace =
        registry.enable(Requests.namespace(request.getNamespace()), request.getReason());
    return EnableNamespaceResponse.newBuilder().setNamespace(toWire(namespace)).build();
  }

  DisableNamespaceResponse disable(DisableNamespaceRequest request) {
    new Validation()
        .optionalName("namespace", request.getNamespace())
        .remark("reason", request.getReason())
        .done();
    Namespace namespace =
        registry.disable(Requests.namespace(request.getNamespace()), request.getReason());
    return DisableNamespaceResponse.newBuilder().setNamespace(toWire(namespace)).build();
  }

  /** Null means as long as the server says. */
  private static @Nullable Integer days(com.google.protobuf.Duration wire) {
    long days = TimeMapper.toDuration(wire).toDays();
    return days == 0 ? null : Math.toIntExact(days);
  }

  private static dev.kagzi.v1.Namespace toWire(Namespace namespace) {
    Namespace.Settings settings = namespace.settings();
    var wire =
        dev.kagzi.v1.Namespace.newBuilder()
            .setNamespace(namespace.name())
            .setDescription(settings.description())
            .setEnabled(namespace.enabled())
            .setDisableReason(namespace.disableReason())
            .putAllLabels(settings.labels())
            .setCreatedAt(TimeMapper.toWire(namespace.createdAt()))
            .setUpdatedAt(TimeMapper.toWire(namespace.updatedAt()));
    Integer days = settings.retentionDays();
    if (FOR_EVER.equals(days)) {
      return wire.setKeepForever(true).build();
    }
    return days == null
        ? wire.build()
        : wire.setRetention(TimeMapper.toWire(Duration.ofDays(days))).build();
  }
}
