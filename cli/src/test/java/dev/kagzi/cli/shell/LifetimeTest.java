package dev.kagzi.cli.shell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class LifetimeTest {
  private final List<String> closed = new CopyOnWriteArrayList<>();

  @Test
  void releasesTheLatestFirstWhateverFails() {
    var lifetime = new Lifetime();
    lifetime.hold(() -> closed.add("database"));
    lifetime.hold(() -> {
      throw new IllegalStateException("expected by the test");
    });
    lifetime.hold(() -> closed.add("server"));

    lifetime.release();

    assertThat(closed).containsExactly("server", "database");
  }

  @Test
  void aSignalInterruptsTheCommandAndWaitsUntilItHasReleasedEverything() {
    var lifetime = new AtomicReference<Lifetime>();
    var interruptedWhileClosing = new AtomicReference<Boolean>();
    var command =
        Thread.ofPlatform()
            .start(() -> {
              var own = new Lifetime();
              own.hold(() -> {
                interruptedWhileClosing.set(Thread.currentThread().isInterrupted());
                closed.add("server");
              });
              lifetime.set(own);
              // As one that waits for an answer, and is still interrupted when it lets go.
              while (!Thread.currentThread().isInterrupted()) {
                LockSupport.park();
              }
              own.release();
            });
    await().until(() -> lifetime.get() != null);

    lifetime.get().end();

    assertThat(closed).containsExactly("server");
    assertThat(interruptedWhileClosing).hasValue(false);
    assertThat(lifetime.get().isEnding()).isTrue();
    await().until(() -> !command.isAlive());
  }

  @Test
  void whatComesAfterTheEndIsReleasedToo() {
    var lifetime = new Lifetime();
    Thread.ofPlatform().start(lifetime::end);
    await().until(lifetime::isEnding);

    assertThatThrownBy(() -> lifetime.hold(() -> closed.add("late")))
        .isInstanceOf(CancellationException.class);
    lifetime.release();

    assertThat(closed).containsExactly("late");
  }
}
