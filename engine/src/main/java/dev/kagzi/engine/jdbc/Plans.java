package dev.kagzi.engine.jdbc;

/**
 * How PostgreSQL plans the statements of a transaction. Said with the first of them, in the same
 * packet, because on a connection of the application it may hold for the transaction only.
 *
 * <p>Every statement has its index, so none reads a whole table: a plan that was made while a table
 * was small would, and is kept while the table grows. What is compiled before it runs is never
 * repaid by statements as short as these.
 */
enum Plans {
  /** As PostgreSQL thinks best: anew for the values at hand, or once. */
  FREE("SELECT set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true); "),

  /**
   * Once per connection. For statements that are repeated thousands of times a second with arrays
   * of ids, whose planning costs more than their execution.
   */
  KEPT(
      "SELECT set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true),"
          + " set_config('plan_cache_mode', 'force_generic_plan', true); ");

  private final String opening;

  Plans(String opening) {
    this.opening = opening;
  }

  /** A query whose row nobody reads. */
  String opening() {
    return opening;
  }
}
