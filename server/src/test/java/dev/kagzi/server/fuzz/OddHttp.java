package dev.kagzi.server.fuzz;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;

/** Requests that no HTTP library would send: odd methods, paths and headers, byte by byte. */
final class OddHttp {

  private static final int LIMIT_MILLIS = 10_000;

  private static final List<String> METHODS =
      List.of("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", "FOO", "get");

  private static final List<String> PARTS =
      List.of(
          "/api/v1/workflows",
          "/api/v1/workflows/%00",
          "/api/v1/workflows/%zz",
          "/api/v1/workflows/%C3%28",
          "/api/v1/workflows/..%2f..%2f",
          "/api/v1//workflows",
          "/api/v1/workflows/;a=b",
          "/api/",
          "/api/v1/" + "x".repeat(3000),
          "/openapi.json",
          "/metrics",
          "/healthz",
          "/",
          "*",
          "http://elsewhere/api/v1/workflows",
          "/api/v1/workflows?page_size=" + "9".repeat(40),
          "/api/v1/workflows?page_size=1&page_size=2",
          "/api/v1/workflows?filter.statuses=%00&x=%",
          "/api/v1/workflows?%",
          "/api/v1/workflows?a[]=1&filter.=2&.=3");

  private static final List<String> HEADERS =
      List.of(
          "Content-Type: application/json",
          "Content-Type: text/plain",
          "Content-Type: application/json; charset=utf-99",
          "Content-Type: ;;",
          "Content-Length: 5",
          "Content-Length: -1",
          "Content-Length: 99999999999999999999",
          "Transfer-Encoding: chunked",
          "Transfer-Encoding: nothing",
          "Accept: */*;q=abc",
          "Cookie: " + "c".repeat(500),
          "Expect: 100-continue",
          "X-\u00e9: \u00e9",
          "Range: bytes=0-",
          "traceparent: 00-zz-zz-00",
          "Upgrade: h2c",
          "no colon");

  private final Random random;
  private final int port;

  OddHttp(Random random, int port) {
    this.random = random;
    this.port = port;
  }

  /** A request as it goes over the wire. */
  String next() {
    StringBuilder text = new StringBuilder();
    text.append(METHODS.get(random.nextInt(METHODS.size())))
        .append(' ')
        .append(PARTS.get(random.nextInt(PARTS.size())))
        .append(random.nextInt(30) == 0 ? " HTTP/9.9\r\n" : " HTTP/1.1\r\n");
    if (random.nextInt(20) != 0) {
      text.append("Host: localhost\r\n");
    }
    int headers = random.nextInt(4);
    for (int i = 0; i < headers; i++) {
      text.append(HEADERS.get(random.nextInt(HEADERS.size()))).append("\r\n");
    }
    text.append("Connection: close\r\n\r\n");
    return random.nextInt(3) == 0 ? text + "{\"a\":" + random.nextInt() + "}" : text.toString();
  }

  /** The status that the server answers with; 0 if it hangs up without a word. */
  int send(String request) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), LIMIT_MILLIS);
      socket.setSoTimeout(LIMIT_MILLIS);
      OutputStream out = socket.getOutputStream();
      out.write(request.getBytes(StandardCharsets.UTF_8));
      out.flush();
      // Whoever announces a body and sends none is not waited for.
      socket.shutdownOutput();
      return status(socket.getInputStream());
    } catch (IOException cut) {
      return 0;
    }
  }

  private static int status(InputStream in) throws IOException {
    String line = new String(in.readNBytes(12), StandardCharsets.ISO_8859_1);
    if (line.startsWith("HTTP/1.1 ") && line.length() == 12) {
      in.transferTo(OutputStream.nullOutputStream());
      return Integer.parseInt(line.substring(9, 12));
    }
    return 0;
  }
}
