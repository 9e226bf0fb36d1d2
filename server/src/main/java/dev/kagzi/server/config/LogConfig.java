package dev.kagzi.server.config;

/** How the server logs. Immutable. */
public record LogConfig(Format format, Level level) {

  /** How a log line looks. */
  public enum Format {
    /** Text on a terminal, JSON elsewhere. */
    AUTO,
    TEXT,
    JSON
  }

  /** The least level that is logged. */
  public enum Level {
    TRACE,
    DEBUG,
    INFO,
    WARN,
    ERROR
  }

  static LogConfig from(Settings settings) {
    return new LogConfig(settings.get(ConfigKeys.LOG_FORMAT), settings.get(ConfigKeys.LOG_LEVEL));
  }
}
