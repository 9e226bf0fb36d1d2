package dev.kagzi.testing.internal;

import static java.util.Objects.requireNonNull;

import dev.kagzi.sdk.ItemFn;
import dev.kagzi.sdk.Saga;
import dev.kagzi.sdk.SagaAction;
import dev.kagzi.sdk.SagaFn;
import dev.kagzi.sdk.StepAction;
import dev.kagzi.sdk.StepBuilder;
import dev.kagzi.sdk.StepFn;
import dev.kagzi.sdk.WorkflowContext;
import dev.kagzi.testing.internal.StepPlan.Asked;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The context of a run, in which the code of every step first asks the plan. Everything else is the
 * real context's. Proxies, because the code of steps comes in through many doors and all that
 * differs is what is behind them.
 */
public final class PlannedContext {

  private static final String COMPENSATION = "compensate:";

  private final StepPlan plan;
  private final String runId;

  private PlannedContext(StepPlan plan, String runId) {
    this.plan = plan;
    this.runId = runId;
  }

  /** The same context, under a plan. */
  public static WorkflowContext of(WorkflowContext ctx, StepPlan plan) {
    var planned = new PlannedContext(plan, ctx.runId());
    return proxy(
        WorkflowContext.class, (self, method, args) -> planned.onContext(ctx, method, args));
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    Object proxy = Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler);
    return type.cast(proxy);
  }

  private static @Nullable Object call(
      Object target, Method method, @Nullable Object @Nullable [] args) throws Throwable {
    // The interface of a step group need not be public.
    method.trySetAccessible();
    try {
      return method.invoke(target, args);
    } catch (InvocationTargetException e) {
      Throwable cause = e.getCause();
      throw cause == null ? e : cause;
    }
  }

  private @Nullable Object onContext(
      WorkflowContext ctx, Method method, @Nullable Object @Nullable [] given) throws Throwable {
    @Nullable Object[] args = given == null ? new Object[0] : given.clone();
    switch (method.getName()) {
      case "step", "parallel" -> plan(args);
      case "steps" -> args[1] = group((Class<?>) requireNonNull(args[0]), args[1]);
      case "saga" -> args[0] = saga(args[0]);
      default -> {}
    }
    Object result = call(ctx, method, args);
    return result instanceof StepBuilder builder
        ? builder(builder, (String) requireNonNull(args[0]))
        : result;
  }

  /** Puts the plan before the code among the arguments of a named step. */
  @SuppressWarnings("unchecked") // The key of an item is text, as the context demands.
  private void plan(@Nullable Object[] args) {
    String name = (String) requireNonNull(args[0]);
    for (int i = 1; i < args.length; i++) {
      if (args[i] instanceof ItemFn<?, ?> fn) {
        args[i] =
            planned(
                name,
                (Function<Object, String>) requireNonNull(args[2]),
                (ItemFn<Object, Object>) fn);
      } else {
        args[i] = planned(new Asked(runId, name, null), args[i]);
      }
    }
  }

  private ItemFn<Object, @Nullable Object> planned(
      String name, Function<Object, String> key, ItemFn<Object, Object> fn) {
    return item ->
        plan.<@Nullable Object>execute(new Asked(runId, name, key.apply(item)), () -> fn.run(item));
  }

  private @Nullable Object planned(Asked asked, @Nullable Object argument) {
    if (argument instanceof StepFn<?> fn) {
      return (StepFn<@Nullable Object>) () -> plan.<@Nullable Object>execute(asked, fn);
    }
    if (argument instanceof StepAction action) {
      return planned(asked, action);
    }
    return argument;
  }

  private StepAction planned(Asked asked, StepAction action) {
    return () -> {
      Object unused =
          plan.<@Nullable Object>execute(
              asked,
              () -> {
                action.run();
                return null;
              });
    };
  }

  private StepBuilder builder(StepBuilder builder, String name) {
    // A builder belongs to one thread and describes one step.
    var key = new @Nullable String[1];
    return proxy(
        StepBuilder.class,
        (self, method, given) -> {
          @Nullable Object[] args = given == null ? new Object[0] : given.clone();
          if (method.getName().equals("key")) {
            key[0] = (String) args[0];
          }
          for (int i = 0; i < args.length; i++) {
            args[i] = planned(new Asked(runId, name, key[0]), args[i]);
          }
          Object result = call(builder, method, args);
          return result instanceof StepBuilder ? self : result;
        });
  }

  private @Nullable Object group(Class<?> type, @Nullable Object implementation) {
    if (implementation == null || !type.isInterface()) {
      return implementation;
    }
    return proxy(
        type,
        (self, method, args) ->
            method.getDeclaringClass() == Object.class
                ? call(implementation, method, args)
                : plan.<@Nullable Object>execute(
                    new Asked(runId, method.getName(), null),
                    () -> checked(implementation, method, args)));
  }

  private static @Nullable Object checked(
      Object target, Method method, @Nullable Object @Nullable [] args) throws Exception {
    try {
      return call(target, method, args);
    } catch (Exception | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  private @Nullable Object saga(@Nullable Object body) {
    if (body instanceof SagaFn<?> fn) {
      return (SagaFn<@Nullable Object>) saga -> fn.run(planned(saga));
    }
    if (body instanceof SagaAction action) {
      return (SagaAction) saga -> action.run(planned(saga));
    }
    return body;
  }

  private Saga planned(Saga saga) {
    return proxy(
        Saga.class,
        (self, method, given) -> {
          @Nullable Object[] args = given == null ? new Object[0] : given.clone();
          if (args.length > 0 && args[args.length - 1] instanceof StepAction action) {
            args[args.length - 1] = planned(new Asked(runId, COMPENSATION + args[0], null), action);
          }
          return call(saga, method, args);
        });
  }
}
