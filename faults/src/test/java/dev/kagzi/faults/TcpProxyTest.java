package dev.kagzi.faults;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every way to break a link does what it says, to open connections and to new ones. */
@Timeout(60)
class TcpProxyTest {

  private static final int SILENCE_MILLIS = 300;

  private final EchoServer echo = new EchoServer();
  private final TcpProxy proxy = TcpProxy.to("127.0.0.1", echo.port());

  @AfterEach
  void end() throws IOException {
    proxy.close();
    echo.close();
  }

  @Test
  void bytesPassBothWays() throws Exception {
    try (Socket client = connect()) {
      assertThat(echoed(client, "hello")).isEqualTo("hello");
    }
    assertThat(proxy.carried(Direction.TO_TARGET)).isEqualTo(5);
    assertThat(proxy.carried(Direction.TO_CLIENT)).isEqualTo(5);
  }

  @Test
  void muchMorePassesThanFitsTheBuffers() throws Exception {
    byte[] sent = new byte[20_000_000];
    new Random(7).nextBytes(sent);
    try (Socket client = connect()) {
      CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> sendAndEnd(client, sent));
      byte[] back = client.getInputStream().readAllBytes();
      sending.join();
      assertThat(Arrays.equals(back, sent)).isTrue();
    }
  }

  @Test
  void theEndOfAStreamPassesAndTheConnectionIsGone() throws Exception {
    try (Socket client = connect()) {
      assertThat(echoed(client, "a")).isEqualTo("a");
      client.shutdownOutput();
      assertThat(client.getInputStream().read()).isEqualTo(-1);
    }
    await().until(() -> proxy.openConnections() == 0 && echo.connections() == 0);
  }

  @Test
  void aDelayHoldsUpEachDirectionAndEndsAtOnce() throws Exception {
    try (Socket client = connect()) {
      assertThat(echoed(client, "a")).isEqualTo("a");
      proxy.delay(Duration.ofMillis(150));
      long started = System.nanoTime();
      assertThat(echoed(client, "b")).isEqualTo("b");
      assertThat(System.nanoTime() - started).isGreaterThan(Duration.ofMillis(300).toNanos());

      proxy.delay(Duration.ofHours(1));
      send(client, "c");
      assertSilent(client);
      proxy.pass();
      assertThat(received(client, 1)).isEqualTo("c");
    }
  }

  @Test
  void delayedMessagesTravelTogetherAndNotOneAfterTheOther() throws Exception {
    proxy.delay(Duration.ofMillis(500));
    try (Socket client = connect()) {
      long started = System.nanoTime();
      for (int i = 0; i < 10; i++) {
        send(client, "x");
      }
      assertThat(received(client, 10)).isEqualTo("xxxxxxxxxx");
      assertThat(System.nanoTime() - started).isLessThan(Duration.ofSeconds(4).toNanos());
    }
  }

  @Test
  void aThrottledLinkTakesItsTime() throws Exception {
    try (Socket client = connect()) {
      proxy.throttle(10_000);
      long started = System.nanoTime();
      send(client, "x".repeat(5_000));
      assertThat(received(client, 5_000)).hasSize(5_000);
      assertThat(System.nanoTime() - started).isGreaterThan(Duration.ofMillis(450).toNanos());
    }
  }

  @Test
  void aBlackHoleIsSilentAndItsConnectionsAreResetAfterwards() throws Exception {
    try (Socket idle = connect();
        Socket client = connect()) {
      assertThat(echoed(idle, "a")).isEqualTo("a");
      assertThat(echoed(client, "a")).isEqualTo("a");
      proxy.blackHole();
      send(client, "lost");
      assertSilent(client);
      assertThat(echo.heard()).isEqualTo(2);

      proxy.pass();
      assertReset(client);
      assertThat(echoed(idle, "nothing of mine was lost")).isEqualTo("nothing of mine was lost");
    }
  }

  @Test
  void aConnectionMadeInABlackHoleHangsUntilItIsOver() throws Exception {
    proxy.blackHole();
    try (Socket client = connect()) {
      send(client, "early");
      assertSilent(client);
      assertThat(echo.connections()).isZero();
      proxy.pass();
      assertThat(received(client, 5)).isEqualTo("early");
    }
  }

  @Test
  void aTargetThatDiesInABlackHoleIsNotNoticedUntilItIsOver() throws Exception {
    try (Socket client = connect()) {
      assertThat(echoed(client, "a")).isEqualTo("a");
      proxy.blackHole();
      echo.close();
      assertSilent(client);
      proxy.pass();
      assertReset(client);
    }
  }

  @Test
  void oneDirectionIsLostAndTheOtherPasses() throws Exception {
    try (Socket client = connect()) {
      assertThat(echoed(client, "a")).isEqualTo("a");
      proxy.dropOneWay(Direction.TO_CLIENT);
      send(client, "heard");
      await().until(() -> echo.heard() == 6);
      assertSilent(client);
      proxy.dropOneWay(Direction.TO_TARGET);
      assertReset(client);
    }
    try (Socket client = connect()) {
      send(client, "unheard");
      assertSilent(client);
      assertThat(echo.heard()).isEqualTo(6);
    }
  }

  @Test
  void aCutResetsWhatIsOpenAndRefusesWhatIsNew() throws Exception {
    try (Socket client = connect()) {
      assertThat(echoed(client, "a")).isEqualTo("a");
      proxy.cut();
      assertReset(client);
      await().until(() -> echo.connections() == 0);
    }
    assertThatThrownBy(this::connect).isInstanceOf(ConnectException.class);
    int port = proxy.port();
    proxy.pass();
    assertThat(proxy.port()).isEqualTo(port);
    try (Socket client = connect()) {
      assertThat(echoed(client, "b")).isEqualTo("b");
    }
  }

  @Test
  void aCutOfTheMomentGoesOnServing() throws Exception {
    try (Socket client = connect()) {
      assertThat(echoed(client, "a")).isEqualTo("a");
      proxy.cutNow();
      assertReset(client);
    }
    try (Socket client = connect()) {
      assertThat(echoed(client, "b")).isEqualTo("b");
    }
  }

  @Test
  void aCutAfterSoManyBytesComesInTheMiddleOfAMessage() throws Exception {
    try (Socket client = connect()) {
      assertThat(echoed(client, "a")).isEqualTo("a");
      proxy.cutAfter(3);
      send(client, "abcdef");
      assertReset(client);
      await().until(() -> echo.heard() == 4);
    }
    try (Socket client = connect()) {
      assertThat(echoed(client, "served again")).isEqualTo("served again");
    }
  }

  @Test
  void aTargetThatIsNotThereResetsTheClientAndOneThatMovedIsFound() throws Exception {
    int gone = echo.port();
    echo.close();
    try (Socket client = connect()) {
      assertReset(client);
    }
    try (EchoServer elsewhere = new EchoServer()) {
      assertThat(elsewhere.port()).isNotEqualTo(gone);
      proxy.retarget(elsewhere.port());
      try (Socket client = connect()) {
        assertThat(echoed(client, "moved")).isEqualTo("moved");
      }
    }
  }

  @Test
  void aProxyIsClosedWithNoThreadLeftInWhateverStateItsLinksAre() throws Exception {
    try (Socket full = connect();
        Socket waiting = connect()) {
      proxy.delay(Duration.ofHours(1));
      send(waiting, "on its way for an hour");
      proxy.throttle(1);
      send(full, "x".repeat(100_000));
      proxy.blackHole();
      try (Socket hanging = connect()) {
        proxy.close();
        assertReset(hanging);
      }
      assertReset(full);
      assertThat(proxy.openConnections()).isZero();
    }
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), proxy.port());
    socket.setTcpNoDelay(true);
    return socket;
  }

  private static void sendAndEnd(Socket socket, byte[] bytes) {
    try {
      socket.getOutputStream().write(bytes);
      socket.shutdownOutput();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void send(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(US_ASCII));
  }

  private static String received(Socket socket, int bytes) throws IOException {
    socket.setSoTimeout(20_000);
    return new String(socket.getInputStream().readNBytes(bytes), US_ASCII);
  }

  private static String echoed(Socket socket, String text) throws IOException {
    send(socket, text);
    return received(socket, text.length());
  }

  private static void assertSilent(Socket socket) throws IOException {
    socket.setSoTimeout(SILENCE_MILLIS);
    assertThatThrownBy(() -> socket.getInputStream().read())
        .isInstanceOf(SocketTimeoutException.class);
  }

  private static void assertReset(Socket socket) throws IOException {
    socket.setSoTimeout(20_000);
    assertThatThrownBy(() -> socket.getInputStream().readAllBytes())
        .isInstanceOf(SocketException.class)
        .hasMessageContaining("reset");
  }
}
