package dev.kagzi.faults;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.Arrays;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/** One direction of a link: one thread takes bytes in, another hands them on. */
final class Lane {

  private static final int CHUNK = 16 * 1024;
  private static final int CHUNKS_UNDER_WAY = 64;

  /** Bytes and the moment they came in; none at all stand for the end of the stream. */
  private static final class Chunk {
    final byte[] bytes;
    final long arrived = System.nanoTime();

    Chunk(byte[] bytes) {
      this.bytes = bytes;
    }

    static Chunk end() {
      return new Chunk(new byte[0]);
    }

    boolean isEnd() {
      return bytes.length == 0;
    }
  }

  private final Direction direction;
  private final Socket from;
  private final Socket to;
  private final Weather weather;
  private final Allowance allowance;
  private final Link link;
  private final BlockingQueue<Chunk> underWay = new ArrayBlockingQueue<>(CHUNKS_UNDER_WAY);
  private volatile boolean torn;

  Lane(
      Direction direction,
      Socket from,
      Socket to,
      Weather weather,
      Allowance allowance,
      Link link) {
    this.direction = direction;
    this.from = from;
    this.to = to;
    this.weather = weather;
    this.allowance = allowance;
    this.link = link;
  }

  /** Takes in what comes until the sender ends. */
  void takeIn() {
    byte[] buffer = new byte[CHUNK];
    try {
      InputStream in = from.getInputStream();
      int count;
      while ((count = in.read(buffer)) >= 0) {
        underWay.put(new Chunk(Arrays.copyOf(buffer, count)));
      }
      underWay.put(Chunk.end());
    } catch (IOException reset) {
      breakOff();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Hands on what was taken in, as the weather allows. */
  void handOn() {
    try {
      OutputStream out = to.getOutputStream();
      Chunk chunk = underWay.take();
      while (!chunk.isEnd()) {
        handOn(chunk, out);
        chunk = underWay.take();
      }
      end(chunk);
    } catch (IOException reset) {
      breakOff();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void handOn(Chunk chunk, OutputStream out) throws IOException, InterruptedException {
    awaitDelay(chunk);
    int at = 0;
    while (at < chunk.bytes.length && !link.isReset()) {
      int piece = weather.now().pieceOf(chunk.bytes.length - at);
      handOn(chunk.bytes, at, piece, out);
      at += piece;
    }
  }

  private void handOn(byte[] bytes, int at, int count, OutputStream out)
      throws IOException, InterruptedException {
    if (swallows()) {
      return;
    }
    long started = System.nanoTime();
    int granted = allowance.take(count);
    out.write(bytes, at, granted);
    allowance.carried(direction, granted);
    weather.awaitSince(started, treatment -> treatment.nanosFor(granted), link::isReset);
  }

  private void end(Chunk end) throws IOException, InterruptedException {
    awaitDelay(end);
    if (!link.isReset() && !swallows()) {
      to.shutdownOutput();
      link.laneEnded();
    }
  }

  private void awaitDelay(Chunk chunk) throws InterruptedException {
    weather.awaitSince(chunk.arrived, treatment -> treatment.delay().toNanos(), link::isReset);
  }

  /** A link that broke on one side breaks on the other, unless nothing is to be seen there. */
  private void breakOff() {
    if (link.isReset() || !swallows()) {
      link.reset();
    }
  }

  private boolean swallows() {
    if (!weather.now().swallows(direction)) {
      resetIfTorn();
      return false;
    }
    torn = true;
    // The weather may have changed between the look and the mark; whoever is later sees the other.
    resetIfTorn();
    return true;
  }

  /** A stream that lost bytes is none any more once bytes pass again. */
  void resetIfTorn() {
    if (torn && !weather.now().swallows(direction)) {
      link.reset();
    }
  }

  /** Lets go of the threads that wait here; the sockets are closed already. */
  void letGo() {
    underWay.clear();
    underWay.offer(Chunk.end());
  }
}
