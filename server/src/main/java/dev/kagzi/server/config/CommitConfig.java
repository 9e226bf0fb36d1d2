package dev.kagzi.server.config;

/** How group commit runs: transactions side by side, and most commands in each. Immutable. */
public record CommitConfig(int lanes, int maxBatch) {

  static CommitConfig from(Settings settings) {
    return new CommitConfig(
        settings.get(ConfigKeys.COMMIT_LANES), settings.get(ConfigKeys.COMMIT_MAX_BATCH));
  }
}
