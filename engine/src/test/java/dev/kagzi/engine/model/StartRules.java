package dev.kagzi.engine.model;

import dev.kagzi.engine.domain.ReusePolicy;
import dev.kagzi.engine.domain.RunStatus;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** How runs come into being. */
final class StartRules {

  static final String HANDLER = "handler";

  private final World world;

  StartRules(World world) {
    this.world = world;
  }

  String start(Op.Start op, Instant now) {
    Op.Wish wish = op.wish();
    Optional<ModelRun> holder = world.liveWith(op.namespace(), wish.externalId());
    if (holder.isPresent()) {
      return exists(holder.get());
    }
    Optional<ModelRun> last = world.lastEndedWith(op.namespace(), wish.externalId());
    if (last.isPresent() && forbids(wish.reuse(), last.get().status)) {
      return exists(last.get());
    }
    ModelRun run =
        born(op.tag(), op.namespace(), wish.type(), wish.queue(), wish.version(), now, wish);
    run.availableAt = now.plus(wish.delay());
    run.deadlineAt = deadline(wish, now);
    return "started " + run.label + " " + run.status;
  }

  private static String exists(ModelRun run) {
    return "exists " + run.label + " " + run.status;
  }

  private static boolean forbids(ReusePolicy policy, RunStatus last) {
    return policy == ReusePolicy.REJECT
        || (policy == ReusePolicy.ALLOW_IF_FAILED && last == RunStatus.COMPLETED);
  }

  private static @Nullable Instant deadline(Op.Wish wish, Instant now) {
    Instant given = wish.deadline() == null ? null : now.plus(wish.deadline());
    if (wish.limit() == null) {
      return given;
    }
    Instant byLimit = now.plus(wish.delay()).plus(wish.limit());
    return given != null && given.isBefore(byLimit) ? given : byLimit;
  }

  private ModelRun born(
      String label,
      String namespace,
      String type,
      @Nullable String queue,
      @Nullable String version,
      Instant now,
      Op.Wish wish) {
    ModelRun run = born(label, namespace, type, queue, version, wish.externalId(), now);
    run.limit = wish.limit();
    run.attempts = wish.attempts();
    run.handled = wish.handled();
    return run;
  }

  /** A new run, in its type's queue and version where nobody said otherwise. */
  ModelRun born(
      String label,
      String namespace,
      String type,
      @Nullable String queue,
      @Nullable String version,
      @Nullable String externalId,
      Instant now) {
    World.KnownType known =
        world.typesOf(namespace).getOrDefault(type, new World.KnownType("", "default"));
    ModelRun run =
        new ModelRun(
            label,
            world.nextBorn(),
            namespace,
            type,
            queue == null ? known.homeQueue() : queue,
            version == null ? known.defaultVersion() : version,
            externalId,
            now);
    world.add(run);
    return run;
  }

  /** The run that goes on where another ends. */
  ModelRun successor(ModelRun ended, Instant now) {
    ModelRun next =
        born(
            ended.label + "+",
            ended.namespace,
            ended.type,
            ended.queue,
            ended.version,
            ended.externalId,
            now);
    next.limit = ended.limit;
    next.attempts = ended.attempts;
    next.handled = ended.handled;
    next.handlerFor = ended.handlerFor;
    next.parent = ended.parent;
    next.parentStep = ended.parentStep;
    next.close = ended.close;
    next.schedule = ended.schedule;
    next.fireAt = ended.fireAt;
    next.continuedFrom = ended.label;
    next.deadlineAt = ended.deadlineAnew(now);
    return next;
  }

  /** The handler of a failure, unless it is live already. */
  void handler(ModelRun failed, Instant now) {
    String label = failed.label + "!" + failed.retries;
    if (world.liveWith(failed.namespace, label).isPresent()) {
      return;
    }
    ModelRun handler = born(label, failed.namespace, HANDLER, failed.queue, null, label, now);
    handler.handlerFor = failed.label;
  }
}
