package dev.kagzi.cli.demo;

import dev.kagzi.cli.demo.OrderWorkflow.Order;
import dev.kagzi.cli.demo.OrderWorkflow.Receipt;
import dev.kagzi.sdk.Workflow;
import dev.kagzi.sdk.WorkflowContext;
import dev.kagzi.sdk.WorkflowType;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * An order as a shop would write it, which also tells what it does. One worker stops for ever
 * between the second step and the rest, outside of any step, and is killed there.
 */
final class OrderWorkflow implements Workflow<Order, Receipt> {
  static final WorkflowType<Order, Receipt> TYPE =
      WorkflowType.of("demo-order", Order.class, Receipt.class);

  /** The steps that leave something in the ledger. */
  static final List<String> STEPS =
      List.of("reserve-stock", "charge-card", "ship-parcel", "send-receipt");

  private static final String SLEEP = "cool-off";

  private final SideEffects sideEffects;
  private final PausePoint pausePoint;
  private final Consumer<Signal> tell;

  /** What is ordered. */
  record Order(String id, String item, int quantity) {}

  /** What comes of it. */
  record Receipt(String order, String reservation, String payment, String parcel) {}

  /** Where a step touches the world. */
  @FunctionalInterface
  interface SideEffects {
    void happen(String step) throws Exception;
  }

  /** Between the second step and the rest. */
  @FunctionalInterface
  interface PausePoint {
    void reach() throws InterruptedException;
  }

  OrderWorkflow(SideEffects sideEffects, PausePoint pausePoint, Consumer<Signal> tell) {
    this.sideEffects = sideEffects;
    this.pausePoint = pausePoint;
    this.tell = tell;
  }

  @Override
  public Receipt run(WorkflowContext ctx, Order order) throws Exception {
    tell.accept(Signal.of(Signal.Kind.CLAIMED));
    var reservation = step(ctx, "reserve-stock", "stock-" + order.item());
    var payment = step(ctx, "charge-card", "payment-" + order.id());
    pausePoint.reach();
    ctx.sleep(SLEEP, "2s");
    // A sleep returns only when it is over, and then from the record.
    tell.accept(new Signal(Signal.Kind.REPLAYED, SLEEP));
    var parcel = step(ctx, "ship-parcel", "parcel-" + order.id());
    step(ctx, "send-receipt", "mail-" + order.id());
    return new Receipt(order.id(), reservation, payment, parcel);
  }

  private String step(WorkflowContext ctx, String name, String value) {
    var executed = new AtomicBoolean();
    var result =
        ctx.step(
            name,
            String.class,
            () -> {
              executed.set(true);
              sideEffects.happen(name);
              tell.accept(new Signal(Signal.Kind.EXECUTED, name));
              return value;
            });
    if (!executed.get()) {
      tell.accept(new Signal(Signal.Kind.REPLAYED, name));
    }
    return result;
  }
}
