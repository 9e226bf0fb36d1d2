package dev.kagzi.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;

/** Sends back what it hears. */
final class EchoServer implements AutoCloseable {

  private final ServerSocket listener;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final AtomicLong heard = new AtomicLong();

  EchoServer() {
    try {
      listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    threads.execute(this::serve);
  }

  int port() {
    return listener.getLocalPort();
  }

  /** How many bytes arrived here, over all connections. */
  long heard() {
    return heard.get();
  }

  int connections() {
    return open.size();
  }

  private void serve() {
    try {
      while (true) {
        Socket socket = listener.accept();
        open.add(socket);
        threads.execute(() -> echo(socket));
      }
    } catch (IOException closed) {
      // The test is over.
    }
  }

  private void echo(Socket socket) {
    try (socket) {
      byte[] buffer = new byte[4096];
      int count;
      while ((count = socket.getInputStream().read(buffer)) >= 0) {
        heard.addAndGet(count);
        socket.getOutputStream().write(buffer, 0, count);
      }
    } catch (IOException reset) {
      // The link was cut, as the test wants it.
    } finally {
      open.remove(socket);
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
    for (Socket socket : open) {
      socket.close();
    }
    threads.close();
  }
}
