package dev.kagzi.engine.jdbc;

/**
 * How PostgreSQL plans the statements of a transaction. Said with the first of them, in the same
 * packet, because on a connection of the application it may hold for the transaction only.
 *
 * <p>Every statement has its index, so none reads a whole table. What is compiled before it runs is
 * never repaid by statements as short as these.
 */
enum Plans {
  /** As PostgreSQL thinks best: anew for the values at hand, or once. */
  FREE(
      """
      SELECT set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true),
             false AS outdated;
      """),

  /**
   * For statements that are repeated thousands of times a second with arrays of ids, whose planning
   * costs more than their execution: a plan is used again, whatever the values, for some seconds.
   * Not for longer: one that was made while a table was empty takes any index for as good as the
   * right one, and would be kept while the table grows. For the same reason nothing is read as a
   * whole to be joined or sorted, which looks cheap as long as a table is believed to be small:
   * rows are looked up one by one, and in the order of an index where there is one.
   */
  KEPT(
      """
      SELECT set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true),
             set_config('enable_hashjoin', 'off', true),
             set_config('enable_mergejoin', 'off', true),
             set_config('enable_sort', 'off', true), set_config('enable_bitmapscan', 'off', true),
             set_config('plan_cache_mode', 'force_generic_plan', true),
             COALESCE(NULLIF(current_setting('plans.kept_since', true), '')::timestamptz
                      < clock_timestamp() - interval '5 seconds', true) AS outdated;
      """);

  /** What is said to a connection whose plans are outdated. */
  static final String RENEWAL =
      "DISCARD PLANS; SELECT set_config('plans.kept_since', clock_timestamp()::text, false)";

  private final String opening;

  Plans(String opening) {
    this.opening = opening;
  }

  /** A query whose one row says whether the plans of its connection are {@code outdated}. */
  String opening() {
    return opening;
  }
}
