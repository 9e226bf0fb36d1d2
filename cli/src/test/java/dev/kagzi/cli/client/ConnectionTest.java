package dev.kagzi.cli.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.kagzi.cli.Recorded;
import dev.kagzi.cli.ServerAtWork;
import dev.kagzi.cli.shell.Terminal;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which server a command asks, who said so, and what it says when none answers. */
class ConnectionTest {
  @TempDir Path home;

  private Recorded kagzi(Map<String, String> environment, String... arguments) {
    return Recorded.run(home, environment, arguments);
  }

  private static String nobodysAddress() throws IOException {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return "127.0.0.1:" + socket.getLocalPort();
    }
  }

  private void writeProfiles(String toml) throws IOException {
    var folder = Files.createDirectories(home.resolve(".config/kagzi"));
    Files.writeString(folder.resolve("config.toml"), toml);
  }

  private Map<String, String> withHome() {
    return Map.of("HOME", home.toString());
  }

  @Test
  void namesTheAddressItsOriginAndTheNextCommandWhenNobodyAnswers() throws IOException {
    var nobody = nobodysAddress();

    var flag = kagzi(Map.of("KAGZI_ADDRESS", "elsewhere:1"), "ns", "list", "--address", nobody);
    var variable = kagzi(Map.of("KAGZI_ADDRESS", nobody), "ns", "list");

    assertThat(flag.code()).isEqualTo(1);
    assertThat(flag.err())
        .contains("no Kagzi server answers at " + nobody, "comes from --address", "kagzi dev")
        .contains("(Connection refused)")
        .doesNotContain("Exception:");
    assertThat(variable.err()).contains(nobody + ", which comes from KAGZI_ADDRESS");
  }

  @Test
  void saysThatSomebodyElseAnswers() {
    var http = ServerAtWork.shared().httpAddress();

    var refused = kagzi(Map.of(), "wf", "list", "--address", http);

    assertThat(refused.code()).isEqualTo(1);
    assertThat(refused.err())
        .contains("what answers at " + http + ", which comes from --address, is no Kagzi server")
        .contains("try: the gRPC port of the server, which is 50051");
  }

  /** No label of a host's name has more than 63 letters, so nobody is asked for this one. */
  @Test
  void tellsAHostThatDoesNotExistInItsOwnWordsOnly() {
    var logged = new ArrayList<LogRecord>();
    var transport = Logger.getLogger("io.grpc");
    transport.setLevel(null);
    var listener = new Listener(logged);
    transport.addHandler(listener);
    try {
      var refused = kagzi(Map.of(), "ns", "list", "--address", "a".repeat(70) + ":50051");

      assertThat(refused.code()).isEqualTo(1);
      assertThat(refused.err()).contains("no Kagzi server answers at aaa");
      assertThat(logged).isEmpty();
    } finally {
      transport.removeHandler(listener);
    }
  }

  private static final class Listener extends Handler {
    private final List<LogRecord> logged;

    Listener(List<LogRecord> logged) {
      this.logged = logged;
    }

    @Override
    public synchronized void publish(LogRecord entry) {
      logged.add(entry);
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  @Test
  void saysWhatAnAddressLooksLike() {
    var refused = kagzi(Map.of(), "ns", "list", "--address", "nonsense:port");

    assertThat(refused.code()).isEqualTo(2);
    assertThat(refused.err())
        .contains("address: 'nonsense:port' (expected: HOST:PORT, ", "--address)");
  }

  @Test
  void takesTheAddressFromTheProfileInForce() throws IOException {
    var nobody = nobodysAddress();
    writeProfiles(
        """
        profile = "dead"
        [profiles.dead]
        address = "%s"
        [profiles.work]
        address = "%s"
        namespace = "default"
        """
            .formatted(nobody, ServerAtWork.shared().address()));
    var named = Map.of("HOME", home.toString(), "KAGZI_PROFILE", "work");

    var current = kagzi(withHome(), "ns", "list");

    assertThat(current.code()).isEqualTo(1);
    assertThat(current.err()).contains(nobody, "profile dead in", "config.toml");
    assertThat(kagzi(withHome(), "ns", "list", "--profile", "work").code()).isZero();
    assertThat(kagzi(named, "ns", "list").code()).isZero();
    assertThat(kagzi(withHome(), "ns", "list", "--profile", "wrok").err())
        .contains("profile 'wrok' from --profile is not in", "did you mean 'work'?");
  }

  /** There are no such namespaces, so that the refusal tells which one was asked for. */
  @ParameterizedTest
  @CsvSource({"a-flag, a-variable, a-flag", ", a-variable, a-variable", ", , a-profile"})
  void aFlagIsStrongerThanAVariableAndThatThanAProfile(
      @Nullable String flag, @Nullable String variable, String asked) throws IOException {
    writeProfiles(
        """
        profile = "work"
        [profiles.work]
        address = "%s"
        namespace = "a-profile"
        """
            .formatted(ServerAtWork.shared().address()));
    var environment = new HashMap<>(withHome());
    var words = new ArrayList<>(List.of("wf", "list"));
    if (variable != null) {
      environment.put("KAGZI_NAMESPACE", variable);
    }
    if (flag != null) {
      words.addAll(List.of("-n", flag));
    }

    assertThat(kagzi(environment, words.toArray(String[]::new)).err())
        .contains("namespace '" + asked + "' does not exist");
  }

  @Test
  void theAddressInTheEnvironmentIsStrongerThanThatOfAProfile() throws IOException {
    writeProfiles(
        """
        profile = "dead"
        [profiles.dead]
        address = "%s"
        """
            .formatted(nobodysAddress()));
    var both = Map.of("HOME", home.toString(), "KAGZI_ADDRESS", ServerAtWork.shared().address());

    assertThat(kagzi(both, "ns", "list").done()).contains("default");
  }

  @Test
  void theAddressThatNobodyNamedIsTheDefault() {
    assumeFalse(isThereAServerAtTheDefault(), "somebody is at " + ClientOptions.DEFAULT_ADDRESS);

    assertThat(kagzi(withHome(), "ns", "list").err())
        .contains("no Kagzi server answers at localhost:50051, which comes from the default");
  }

  private static boolean isThereAServerAtTheDefault() {
    var address = ClientOptions.DEFAULT_ADDRESS.split(":", -1);
    try (var socket = new Socket(address[0], Integer.parseInt(address[1]))) {
      return socket.isConnected();
    } catch (IOException refused) {
      return false;
    }
  }

  @Test
  void showsStackTracesToWhoeverWantsThem() throws IOException {
    var nobody = nobodysAddress();
    var debugged = Map.of("KAGZI_DEBUG", "1");
    var frame = "\tat dev.kagzi.cli.client.";

    assertThat(kagzi(Map.of(), "ns", "list", "--address", nobody).err()).doesNotContain(frame);
    assertThat(kagzi(Map.of(), "ns", "list", "--address", nobody, "--debug").err()).contains(frame);
    assertThat(kagzi(debugged, "ns", "list", "--address", nobody).err()).contains(frame);
  }

  @Test
  void saysWhereAProfileIsWrong() throws IOException {
    writeProfiles("[profiles.local]\nadress = \"x\"\n");
    assertThat(kagzi(withHome(), "ns", "list").err())
        .contains("config.toml: unknown key 'profiles.local.adress' (did you mean 'address'?)");

    writeProfiles("profile = \n");
    var broken = kagzi(withHome(), "ns", "list");
    assertThat(broken.code()).isEqualTo(2);
    assertThat(broken.err()).contains("config.toml:1:", "not TOML");
  }

  @Test
  void triesSeveralAddressesInTurn() throws IOException {
    var both = nobodysAddress() + "," + ServerAtWork.shared().address();

    assertThat(kagzi(Map.of(), "ns", "list", "--address", both).code()).isZero();
    assertThat(kagzi(Map.of(), "ns", "list", "--address", "a:1,,b:1").err())
        .contains("address: 'a:1,,b:1'", "it comes from --address");
  }

  @Test
  void usesColoursOnlyWhereTheyAreWanted() {
    var server = ServerAtWork.shared();
    var person = new Terminal(true, true, true);
    var noColour = Map.of("KAGZI_ADDRESS", server.address(), "NO_COLOR", "1");

    assertThat(server.kagzi("ns", "list").out()).doesNotContain("\u001b[");
    assertThat(server.kagzi("ns", "list", "--color", "always").out()).contains("\u001b[");
    assertThat(server.typing("", person, "ns", "list").out()).contains("\u001b[");
    assertThat(Recorded.run(home, noColour, "", person, "ns", "list").out())
        .doesNotContain("\u001b[");
    assertThat(server.kagzi("ns", "list", "--time", "iso").out())
        .containsPattern("\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z");
  }
}
