package dev.kagzi.engine.wakeup;

import dev.kagzi.engine.domain.QueueKey;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.wakeup.NewsSignals.EndedWaits;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/** The names and the words of what servers tell each other. */
final class Channels {

  static final String WORK = "kagzi_work";
  static final String DONE = "kagzi_done";
  static final String NEWS = "kagzi_news";

  /** Names hold no control characters, so a newline separates them safely. */
  private static final String SEPARATOR = "\n";

  record Work(QueueKey queue, Instant dueAt) {}

  private Channels() {}

  static String work(QueueKey queue, Instant dueAt) {
    long micros = ChronoUnit.MICROS.between(Instant.EPOCH, dueAt);
    return queue.namespace() + SEPARATOR + queue.taskQueue() + SEPARATOR + micros;
  }

  static Work parseWork(String payload) {
    String[] parts = payload.split(SEPARATOR, -1);
    if (parts.length != 3) {
      throw new IllegalArgumentException("not a work message: " + parts.length + " parts");
    }
    Instant dueAt = Instant.EPOCH.plus(Long.parseLong(parts[2]), ChronoUnit.MICROS);
    return new Work(new QueueKey(parts[0], parts[1]), dueAt);
  }

  /** Without the steps, which would not always fit: whoever is told looks for himself. */
  static String news(EndedWaits news) {
    return news.worker() + SEPARATOR + news.runId() + SEPARATOR + news.epoch();
  }

  static EndedWaits parseNews(String payload) {
    String[] parts = payload.split(SEPARATOR, -1);
    if (parts.length != 3) {
      throw new IllegalArgumentException("not a news message: " + parts.length + " parts");
    }
    return new EndedWaits(
        WorkerId.parse(parts[0]), RunId.parse(parts[1]), Integer.parseInt(parts[2]), List.of());
  }
}
