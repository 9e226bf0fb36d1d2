package dev.kagzi.sdk.internal;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class ReplayLoggerTest {

  private final Logger target = (Logger) LoggerFactory.getLogger("kagzi.workflow.tested");
  private final ListAppender<ILoggingEvent> lines = new LocatingAppender();
  private final AtomicBoolean replaying = new AtomicBoolean(true);
  private final ReplayLogger log = new ReplayLogger(target, replaying::get);

  /** Looks for the caller while it is still on the stack. */
  private static final class LocatingAppender extends ListAppender<ILoggingEvent> {
    @Override
    protected void append(ILoggingEvent event) {
      event.getCallerData();
      super.append(event);
    }
  }

  @BeforeEach
  void listen() {
    target.setLevel(Level.INFO);
    target.setAdditive(false);
    lines.start();
    target.addAppender(lines);
  }

  @AfterEach
  void stopListening() {
    target.detachAppender(lines);
  }

  @Test
  void saysNothingWhileReplaying() {
    log.info("before {}", 1);
    replaying.set(false);
    log.info("after {}", 2);
    log.debug("too quiet");
    log.warn("with cause", new IllegalStateException("x"));

    assertThat(lines.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .containsExactly("after 2", "with cause");
    assertThat(lines.list.getLast().getThrowableProxy().getMessage()).isEqualTo("x");
    assertThat(lines.list.getFirst().getCallerData()[0].getClassName())
        .isEqualTo(ReplayLoggerTest.class.getName());
  }
}
