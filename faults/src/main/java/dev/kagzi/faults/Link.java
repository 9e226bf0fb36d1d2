package dev.kagzi.faults;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** One connection through the proxy: a client's socket, the target's, and a lane each way. */
final class Link {

  private static final int CONNECT_MILLIS = (int) Duration.ofSeconds(10).toMillis();

  private final Socket client;
  private final Socket target = new Socket();
  private final Weather weather;
  private final Consumer<Link> whenOver;
  private final List<Lane> lanes;
  private final AtomicInteger lanesEnded = new AtomicInteger();
  private volatile boolean reset;

  Link(Socket client, Weather weather, Allowance allowance, Consumer<Link> whenOver) {
    this.client = client;
    this.weather = weather;
    this.whenOver = whenOver;
    this.lanes =
        List.of(
            new Lane(Direction.TO_TARGET, client, target, weather, allowance, this),
            new Lane(Direction.TO_CLIENT, target, client, weather, allowance, this));
  }

  /**
   * Connects to the target and starts to carry. In a black hole the connection hangs, as one does
   * whose first packet is lost, and goes on when it is over.
   */
  void open(Supplier<InetSocketAddress> address, Executor threads) {
    try {
      weather.awaitNoBlackHole(this::isReset);
      if (reset) {
        return;
      }
      target.connect(address.get(), CONNECT_MILLIS);
      target.setOption(StandardSocketOptions.TCP_NODELAY, true);
      client.setOption(StandardSocketOptions.TCP_NODELAY, true);
      for (Lane lane : lanes) {
        threads.execute(lane::takeIn);
        threads.execute(lane::handOn);
      }
    } catch (IOException | RejectedExecutionException refusedOrClosed) {
      reset();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  boolean isReset() {
    return reset;
  }

  /** Both ends see their connection reset. */
  void reset() {
    reset = true;
    resetAndClose(client);
    resetAndClose(target);
    over();
  }

  void resetIfTorn() {
    lanes.forEach(Lane::resetIfTorn);
  }

  /** After the second lane nothing is left to carry. */
  void laneEnded() {
    if (lanesEnded.incrementAndGet() == lanes.size()) {
      close(client);
      close(target);
      over();
    }
  }

  private void over() {
    lanes.forEach(Lane::letGo);
    weather.stir();
    whenOver.accept(this);
  }

  private static void resetAndClose(Socket socket) {
    try {
      socket.setOption(StandardSocketOptions.SO_LINGER, 0);
    } catch (IOException closedAlready) {
      return;
    }
    close(socket);
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException nothingLeftToDo) {
      // A socket that cannot be closed is closed.
    }
  }
}
