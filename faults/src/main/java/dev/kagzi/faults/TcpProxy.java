package dev.kagzi.faults;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A TCP proxy on the loopback whose link can be slowed, silenced and cut at any time.
 *
 * <p>What is set holds for connections that are open and for those to come, and adds up until
 * {@link #pass} takes it all back. A connection that lost bytes is reset once bytes pass again: a
 * stream with a hole in it is something TCP never shows.
 */
public final class TcpProxy implements AutoCloseable {

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Set<Link> links = ConcurrentHashMap.newKeySet();
  private final Weather weather = new Weather();
  private final Allowance allowance = new Allowance(this::cutNow);

  /** Bound but not listening: keeps the port ours while new connections are refused. */
  private final Socket portHolder = new Socket();

  private volatile InetSocketAddress target;
  private volatile @Nullable ServerSocket listener;

  public TcpProxy(InetSocketAddress target) {
    this.target = target;
    try {
      portHolder.setReuseAddress(true);
      portHolder.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      listen();
    } catch (IOException e) {
      throw new UncheckedIOException("The proxy to " + target + " has no port to listen on", e);
    }
  }

  public static TcpProxy to(String host, int port) {
    return new TcpProxy(new InetSocketAddress(host, port));
  }

  /** The port on 127.0.0.1 to connect to instead of the target's. */
  public int port() {
    return portHolder.getLocalPort();
  }

  /** New connections go to this target from now on; open ones stay with theirs. */
  public void retarget(InetSocketAddress address) {
    target = address;
  }

  /** New connections go to this port of the same host from now on; open ones stay with theirs. */
  public void retarget(int port) {
    retarget(new InetSocketAddress(target.getHostString(), port));
  }

  /** Everything passes again; what lost bytes meanwhile is reset. */
  public void pass() {
    allowance.lift();
    change(now -> Treatment.PASS);
    try {
      listen();
    } catch (IOException e) {
      throw new UncheckedIOException("The proxy cannot listen on its port any more", e);
    }
  }

  /** Bytes take this much longer in each direction; how many are under way is bounded. */
  public void delay(Duration each) {
    change(now -> now.withDelay(each));
  }

  /** Each connection carries at most this many bytes a second in each direction. */
  public void throttle(long bytesPerSecond) {
    if (bytesPerSecond < 1) {
      throw new IllegalArgumentException("A link carries at least one byte a second");
    }
    change(now -> now.withRate(bytesPerSecond));
  }

  /**
   * Nothing passes and nobody is told: open connections stay open and silent, new ones are accepted
   * and hear nothing. Not even the end of a connection gets through.
   */
  public void blackHole() {
    change(now -> now.swallowing(Direction.values()));
  }

  /** Bytes in this direction are lost, those in the other pass. */
  public void dropOneWay(Direction direction) {
    change(now -> now.swallowing(direction));
  }

  /** Resets every open connection and refuses new ones until {@link #pass}. */
  public synchronized void cut() {
    close(listener);
    listener = null;
    cutNow();
  }

  /** Resets every open connection and goes on serving new ones. */
  public void cutNow() {
    links.forEach(Link::reset);
  }

  /**
   * Resets every open connection after this many more bytes, counted over both directions and all
   * connections, and goes on serving new ones: cuts in the middle of a message.
   */
  public void cutAfter(long bytes) {
    if (bytes < 1) {
      throw new IllegalArgumentException("Use cutNow() to cut before the next byte");
    }
    allowance.limit(bytes);
  }

  /** How many connections are open through the proxy. */
  public int openConnections() {
    return links.size();
  }

  /** How many bytes went through in this direction so far; swallowed ones are not among them. */
  public long carried(Direction direction) {
    return allowance.carried(direction);
  }

  /** Resets what is open, and returns when no thread of the proxy is left. */
  @Override
  public void close() {
    cut();
    close(portHolder);
    threads.close();
  }

  private void change(UnaryOperator<Treatment> change) {
    weather.change(change);
    links.forEach(Link::resetIfTorn);
  }

  private synchronized void listen() throws IOException {
    if (listener == null) {
      ServerSocket fresh = new ServerSocket();
      fresh.setReuseAddress(true);
      fresh.bind(portHolder.getLocalSocketAddress());
      listener = fresh;
      threads.execute(() -> serve(fresh));
    }
  }

  private void serve(ServerSocket from) {
    try {
      while (true) {
        accepted(from.accept(), from);
      }
    } catch (IOException closed) {
      // The listener was closed: by a cut, or with the proxy.
    }
  }

  private synchronized void accepted(Socket client, ServerSocket from) {
    Link link = new Link(client, weather, allowance, links::remove);
    links.add(link);
    // A cut that came between the accept and now has not seen this link.
    if (from.equals(listener)) {
      threads.execute(() -> link.open(() -> target, threads));
    } else {
      link.reset();
    }
  }

  private static void close(@Nullable Closeable socket) {
    try {
      if (socket != null) {
        socket.close();
      }
    } catch (IOException nothingLeftToDo) {
      // A socket that cannot be closed is closed.
    }
  }
}
