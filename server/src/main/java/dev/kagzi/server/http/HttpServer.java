package dev.kagzi.server.http;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.util.thread.VirtualThreadPool;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An HTTP server whose handlers run on virtual threads. Thread-safe. */
public final class HttpServer implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(HttpServer.class);
  private static final int MAX_HEADER_BYTES = 8192;

  /** Longer than the longest call waits for its answer. */
  private static final Duration IDLE_LIMIT = Duration.ofSeconds(75);

  private static final Duration STOP_LIMIT = Duration.ofSeconds(2);

  /** Acceptor, selector and reserve; requests do not run here. */
  private static final int PLATFORM_THREADS = 8;

  private final Server server;
  private final ServerConnector connector;

  private HttpServer(InetSocketAddress address, Handler handler) {
    var threads = new QueuedThreadPool(PLATFORM_THREADS);
    threads.setName("kagzi-http");
    threads.setDaemon(true);
    threads.setReservedThreads(0);
    threads.setVirtualThreadsExecutor(new VirtualThreadPool());
    this.server = new Server(threads);
    this.connector = new ServerConnector(server, 1, 1, new HttpConnectionFactory(limits()));
    connector.setHost(address.getHostString());
    connector.setPort(address.getPort());
    connector.setIdleTimeout(IDLE_LIMIT.toMillis());
    server.addConnector(connector);
    boolean own = address.getAddress().isLoopbackAddress();
    server.setHandler(new HonestClosing(own ? new OwnHosts(handler) : handler));
    server.setErrorHandler(new ErrorBodies());
    server.setStopTimeout(STOP_LIMIT.toMillis());
  }

  private static HttpConfiguration limits() {
    var limits = new HttpConfiguration();
    limits.setRequestHeaderSize(MAX_HEADER_BYTES);
    limits.setResponseHeaderSize(MAX_HEADER_BYTES);
    limits.setSendServerVersion(false);
    // Names in paths may hold anything when it is encoded; no path means a file here.
    limits.setUriCompliance(UriCompliance.UNSAFE);
    return limits;
  }

  /**
   * Listens on a port.
   *
   * @throws IOException if it cannot
   */
  public static HttpServer listen(InetSocketAddress address, Handler handler) throws IOException {
    var http = new HttpServer(address, handler);
    try {
      http.server.start();
      return http;
    } catch (Exception failure) {
      http.close();
      if (failure instanceof IOException refused) {
        throw refused;
      }
      throw new IOException("HTTP cannot be served on " + address, failure);
    }
  }

  /** The port that is listened on. */
  public int port() {
    return connector.getLocalPort();
  }

  @Override
  public void close() {
    try {
      server.stop();
    } catch (Exception failure) {
      log.warn("HTTP could not be stopped in good order: {}", failure.toString());
    } finally {
      server.destroy();
    }
  }
}
