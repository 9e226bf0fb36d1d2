package dev.kagzi.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ConfiguratorRank;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.spi.ContextAwareBase;
import dev.kagzi.cli.shell.Terminal;
import dev.kagzi.server.config.LogConfig;
import java.util.logging.LogManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How this process logs: to the standard error, as text on a terminal and as JSON lines elsewhere.
 * Kagzi and workflows log from the level in force on, libraries only warnings.
 *
 * <p>Logback makes one by itself, before anybody has read a configuration, so that the libraries'
 * debug lines never show; a {@code logback.xml} is stronger than that.
 */
@ConfiguratorRank(ConfiguratorRank.FALLBACK + 1)
public final class Logging extends ContextAwareBase implements Configurator {
  private static final String TEXT = "%d{HH:mm:ss.SSS} %-5level %logger{0}  %msg%n";

  /** A line of progress that stands there is gone by then, or about to be. */
  private static final String OVER_WHAT_STANDS_THERE = "\r\u001b[K" + TEXT;

  private static final String[] OWN = {"dev.kagzi", "kagzi"};

  @Override
  public ExecutionStatus configure(LoggerContext context) {
    set(context, new LogConfig(LogConfig.Format.TEXT, LogConfig.Level.WARN));
    return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
  }

  /** Logs as configured from now on. */
  static void use(LogConfig config) {
    // gRPC logs to java.util.logging, whose own handlers would print beside ours.
    LogManager.getLogManager().reset();
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
      context.reset();
      set(context, config);
    }
  }

  private static void set(LoggerContext context, LogConfig config) {
    var level = Level.toLevel(config.level().name());
    var root = context.getLogger(Logger.ROOT_LOGGER_NAME);
    root.setLevel(level.isGreaterOrEqual(Level.WARN) ? level : Level.WARN);
    for (var own : OWN) {
      context.getLogger(own).setLevel(level);
    }
    root.addAppender(appender(context, encoder(config.format())));
  }

  private static Encoder<ILoggingEvent> encoder(LogConfig.Format format) {
    return switch (format) {
      case TEXT -> text();
      case JSON -> new JsonLines();
      case AUTO -> Terminal.ofThisProcess().err() ? text() : new JsonLines();
    };
  }

  private static Encoder<ILoggingEvent> text() {
    var encoder = new PatternLayoutEncoder();
    boolean canClear = Terminal.ofThisProcess().err() && !"dumb".equals(System.getenv("TERM"));
    encoder.setPattern(canClear ? OVER_WHAT_STANDS_THERE : TEXT);
    return encoder;
  }

  private static ConsoleAppender<ILoggingEvent> appender(
      LoggerContext context, Encoder<ILoggingEvent> encoder) {
    encoder.setContext(context);
    encoder.start();
    var appender = new ConsoleAppender<ILoggingEvent>();
    appender.setContext(context);
    appender.setTarget("System.err");
    appender.setEncoder(encoder);
    appender.start();
    return appender;
  }
}
