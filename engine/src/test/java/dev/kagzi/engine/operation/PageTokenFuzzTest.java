package dev.kagzi.engine.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.Page.Direction;
import dev.kagzi.engine.domain.Page.Position;
import dev.kagzi.engine.domain.RunId;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A token opens the list that it was made for, as it is, and nothing else. */
class PageTokenFuzzTest {

  private static final int IN_VERIFY = 100_000;
  private static final String ALPHABET =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

  private final PageTokens tokens = new PageTokens(new byte[32]);

  @Test
  void aHundredThousandChangedTokensAreRefused() {
    fuzz(1, IN_VERIFY);
  }

  @Test
  @Tag("soak")
  void aMillionChangedTokensAreRefused() {
    fuzz(System.nanoTime(), 10 * IN_VERIFY);
  }

  private void fuzz(long seed, int changes) {
    System.out.printf("page tokens: seed %d, %d changes%n", seed, changes);
    Random random = new Random(seed);
    for (int i = 0; i < changes; i++) {
      Position position =
          new Position(
              random.nextBoolean() ? Direction.OLDER : Direction.NEWER,
              new RunId(new UUID(random.nextLong(), random.nextLong())));
      String token = tokens.write(position, "a", "f");
      assertThat(tokens.read(token, "a", "f")).isEqualTo(position);
      assertRefused(() -> tokens.read(changed(token, random), "a", "f"));
      String name = "n".repeat(random.nextInt(5)) + random.nextInt(1000);
      String named = tokens.writeName(name, "a", "f");
      assertThat(tokens.readName(named, "a", "f")).isEqualTo(name);
      assertRefused(() -> tokens.readName(changed(named, random), "a", "f"));
    }
  }

  /** Another character, one more, one less, or a bit of one. */
  private static String changed(String token, Random random) {
    int at = random.nextInt(token.length());
    String other = String.valueOf(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
    String changed =
        switch (random.nextInt(4)) {
          case 0 -> token.substring(0, at) + other + token.substring(at + 1);
          case 1 -> token.substring(0, at) + token.substring(at + 1);
          case 2 -> token.substring(0, at) + other + token.substring(at);
          default ->
              token.substring(0, at)
                  + (char) (token.charAt(at) ^ (1 << random.nextInt(7)))
                  + token.substring(at + 1);
        };
    return changed.equals(token) ? token + "=" : changed;
  }

  private static void assertRefused(Runnable read) {
    assertThatThrownBy(read::run)
        .isInstanceOfSatisfying(
            EngineException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
  }

  @Test
  void aTokenOfOneListIsRefusedByEveryOther() {
    String token = tokens.write(new Position(Direction.OLDER, new RunId(new UUID(1, 2))), "a", "f");
    String named = tokens.writeName("name", "a", "f");

    assertRefused(() -> tokens.read(token, "b", "f"));
    assertRefused(() -> tokens.read(token, "a", "g"));
    assertRefused(() -> tokens.readName(named, "b", "f"));
    assertRefused(() -> tokens.readName(named, "a", "g"));
    assertRefused(() -> new PageTokens(new byte[] {1}).readName(named, "a", "f"));
  }

  /** Whoever cuts the end off the name must not get a token for who is called like that end. */
  @Test
  void whatIsCutOffANameBelongsToNoNamespace() {
    byte[] bytes = Base64.getUrlDecoder().decode(tokens.writeName("orders-eu", "shop", "f"));
    byte[] cut = Arrays.copyOf(bytes, bytes.length - "-eu".getBytes(StandardCharsets.UTF_8).length);
    String forged = Base64.getUrlEncoder().withoutPadding().encodeToString(cut);

    assertRefused(() -> tokens.readName(forged, "-eushop", "f"));
  }
}
