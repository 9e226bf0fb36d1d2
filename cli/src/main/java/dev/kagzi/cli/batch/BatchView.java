package dev.kagzi.cli.batch;

import dev.kagzi.cli.command.PageOptions;
import dev.kagzi.cli.output.Look;
import dev.kagzi.cli.output.Table;
import dev.kagzi.cli.output.Words;
import dev.kagzi.v1.Batch;
import dev.kagzi.v1.BatchItem;
import dev.kagzi.v1.GetBatchResponse;
import dev.kagzi.v1.ListBatchesResponse;
import java.util.List;

/** Batches as people read them. Stateless. */
final class BatchView {
  private BatchView() {}

  static String table(ListBatchesResponse response, Look look) {
    var table =
        new Table(
            "BATCH",
            "OPERATION",
            "STATUS",
            "DONE>",
            "TOTAL>",
            "FAILED>",
            "SKIPPED>",
            "CREATED",
            "TOOK",
            "REASON");
    for (var batch : response.getBatchesList()) {
      table.row(
          Look.shortId(batch.getBatchId()),
          operation(batch),
          look.status(batch.getStatus()),
          batch.getSucceeded(),
          batch.getTotal(),
          batch.getFailed(),
          batch.getSkipped(),
          look.at(batch.getCreatedAt()),
          look.took(batch.getCreatedAt(), batch.getFinishedAt()),
          Look.cut(batch.getReason(), 40));
    }
    return table.text()
        + PageOptions.footer(response.getBatchesCount(), "batch", response.getPage());
  }

  private static String operation(Batch batch) {
    return batch.getTerminate() ? "terminate" : Words.lower(batch.getOperation());
  }

  /** {@code batch 1a2b3c4d retry 11 of 12 done, 1 failed}. */
  static String line(Batch batch) {
    return "batch %s  %s  %d of %d done%s%s%s"
        .formatted(
            Look.shortId(batch.getBatchId()),
            operation(batch),
            batch.getSucceeded(),
            batch.getTotal(),
            batch.getFailed() > 0 ? ", " + batch.getFailed() + " failed" : "",
            batch.getSkipped() > 0 ? ", " + batch.getSkipped() + " skipped" : "",
            isCancelled(batch) ? ", cancelled" : "");
  }

  private static boolean isCancelled(Batch batch) {
    return Words.of(batch.getStatus()).equals("CANCELLED");
  }

  static String text(GetBatchResponse response, Look look) {
    var batch = response.getBatch();
    var reason = batch.getReason().isEmpty() ? "" : "reason  " + batch.getReason() + "\n";
    return "%s   %s%nid  %s   created %s   took %s%n%s%s"
        .formatted(
            line(batch),
            look.status(batch.getStatus()),
            batch.getBatchId(),
            look.at(batch.getCreatedAt()),
            look.took(batch.getCreatedAt(), batch.getFinishedAt()),
            reason,
            response.getItemsCount() == 0 ? "" : "\n" + items(response.getItemsList(), look));
  }

  static String items(List<BatchItem> items, Look look) {
    var table = new Table("RUN", "RESULT", "REASON", "MESSAGE");
    for (var item : items) {
      table.row(
          Look.shortId(item.getRunId()),
          look.status(item.getStatus()),
          Look.orNone(item.getErrorReason()),
          Look.cut(item.getMessage(), 80));
    }
    return table.text("  ");
  }
}
