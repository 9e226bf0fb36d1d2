package dev.kagzi.engine.commit;

import dev.kagzi.engine.domain.Heard;

/**
 * Hears what became of a command that nobody waits for, exactly once, on the thread that committed
 * it and behind the commit: whoever listens must not block, because others wait for that thread.
 */
public interface CommitListener<R> {

  /**
   * Whether the thread that brings the command may wait for the database. It then commits the
   * command itself if there is nobody whom that would hold up: no other thread has to be woken.
   */
  default boolean mayWait() {
    return false;
  }

  /** It is committed. */
  void committed(Heard<R> answer);

  /** It was not carried out, or nobody knows whether it was. */
  void refused(Throwable refusal);

  /** Everybody whose command shared the commit has been answered: what was kept may be sent on. */
  default void allAnswered() {}
}
