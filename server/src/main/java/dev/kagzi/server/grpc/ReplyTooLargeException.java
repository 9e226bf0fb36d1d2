package dev.kagzi.server.grpc;

import com.google.protobuf.MessageLite;

/** An answer that no caller could receive; on a stream it would end every other call too. */
final class ReplyTooLargeException extends RuntimeException {

  /** Below what callers accept, with room for the frame around it. */
  private static final int MAX_BYTES = WorkerMapper.MAX_MESSAGE_BYTES - 64 * 1024;

  private ReplyTooLargeException(int bytes) {
    super(
        "the answer has %d bytes (expected: at most %d); ask for less".formatted(bytes, MAX_BYTES),
        null,
        false,
        false);
  }

  /** Refuses to send what cannot be received. */
  static void refuse(MessageLite reply) {
    int bytes = reply.getSerializedSize();
    if (bytes > MAX_BYTES) {
      throw new ReplyTooLargeException(bytes);
    }
  }
}
