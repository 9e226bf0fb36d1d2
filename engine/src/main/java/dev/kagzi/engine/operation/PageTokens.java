package dev.kagzi.engine.operation;

import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.Page.Direction;
import dev.kagzi.engine.domain.Page.Position;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.store.SettingStore;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Base64;
import java.util.UUID;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Page tokens that every server of one database can read and nobody else can make: a position and a
 * code over it, its namespace and its filter, so that a token opens no other list than its own.
 */
public final class PageTokens {

  private static final int KEY_BYTES = 32;
  private static final int POSITION_BYTES = 17;
  private static final int CODE_BYTES = 16;
  private static final byte OLDER = 0;
  private static final byte NEWER = 1;

  private final SecretKeySpec key;

  PageTokens(byte[] key) {
    this.key = new SecretKeySpec(key, "HmacSHA256");
  }

  /** With the key that all servers of a database share, made by the first of them. */
  static PageTokens shared(Database database, InstantSource clock) {
    byte[] offered = new byte[KEY_BYTES];
    new SecureRandom().nextBytes(offered);
    return new PageTokens(
        database.inTransaction(
            tx -> new SettingStore().offer(tx, "page_token_key", offered, clock.instant())));
  }

  /** Writes down where a list goes on. */
  String write(Position position, String namespace, String filter) {
    byte[] plain = bytes(position);
    byte[] code = code(plain, namespace, filter);
    byte[] token = ByteBuffer.allocate(plain.length + code.length).put(plain).put(code).array();
    return encode(token);
  }

  /**
   * Reads a token of the same namespace and filter.
   *
   * @throws EngineException if it is anything else
   */
  Position read(String token, String namespace, String filter) {
    try {
      byte[] bytes = decode(token);
      if (bytes.length == POSITION_BYTES + CODE_BYTES) {
        byte[] plain = Arrays.copyOf(bytes, POSITION_BYTES);
        byte[] code = Arrays.copyOfRange(bytes, POSITION_BYTES, bytes.length);
        if (MessageDigest.isEqual(code, code(plain, namespace, filter))) {
          return position(plain);
        }
      }
    } catch (IllegalArgumentException notBase64) {
      // Falls through to the one message for every foreign token.
    }
    throw foreign();
  }

  /** Writes down after which name a list goes on that is sorted by name. */
  String writeName(String name, String namespace, String filter) {
    byte[] plain = name.getBytes(StandardCharsets.UTF_8);
    byte[] code = code(plain, namespace, filter);
    byte[] token = ByteBuffer.allocate(plain.length + code.length).put(code).put(plain).array();
    return encode(token);
  }

  /**
   * Reads a token of {@link #writeName} of the same namespace and filter.
   *
   * @throws EngineException if it is anything else
   */
  String readName(String token, String namespace, String filter) {
    try {
      byte[] bytes = decode(token);
      if (bytes.length >= CODE_BYTES) {
        byte[] code = Arrays.copyOf(bytes, CODE_BYTES);
        byte[] plain = Arrays.copyOfRange(bytes, CODE_BYTES, bytes.length);
        if (MessageDigest.isEqual(code, code(plain, namespace, filter))) {
          return new String(plain, StandardCharsets.UTF_8);
        }
      }
    } catch (IllegalArgumentException notBase64) {
      // Falls through to the one message for every foreign token.
    }
    throw foreign();
  }

  private static String encode(byte[] token) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(token);
  }

  /** Only the one text that the bytes have: the last character of others has bits to spare. */
  private static byte[] decode(String token) {
    byte[] bytes = Base64.getUrlDecoder().decode(token);
    if (!encode(bytes).equals(token)) {
      throw new IllegalArgumentException("not as it was written");
    }
    return bytes;
  }

  private static EngineException foreign() {
    return new EngineException(
        ErrorCode.INVALID_ARGUMENT,
        "page_token: not one of this list (expected: the token of a reply to the same namespace"
            + " and filter)");
  }

  private static byte[] bytes(Position position) {
    UUID id = position.beyond().value();
    return ByteBuffer.allocate(POSITION_BYTES)
        .put(position.direction() == Direction.OLDER ? OLDER : NEWER)
        .putLong(id.getMostSignificantBits())
        .putLong(id.getLeastSignificantBits())
        .array();
  }

  private static Position position(byte[] plain) {
    ByteBuffer buffer = ByteBuffer.wrap(plain);
    Direction direction = buffer.get() == OLDER ? Direction.OLDER : Direction.NEWER;
    return new Position(direction, new RunId(new UUID(buffer.getLong(), buffer.getLong())));
  }

  /** The length comes first, so that no end of a name can pass for the beginning of a namespace. */
  private byte[] code(byte[] plain, String namespace, String filter) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(key);
      mac.update(ByteBuffer.allocate(Integer.BYTES).putInt(plain.length).array());
      mac.update(plain);
      mac.update(namespace.getBytes(StandardCharsets.UTF_8));
      mac.update((byte) 0);
      mac.update(filter.getBytes(StandardCharsets.UTF_8));
      return Arrays.copyOf(mac.doFinal(), CODE_BYTES);
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException("every Java has HmacSHA256", impossible);
    }
  }
}
