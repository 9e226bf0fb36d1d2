package dev.kagzi.engine.jdbc;

import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/** An open transaction: what store methods take to say that they never open one themselves. */
public final class Transaction {

  private final Connection connection;
  private final boolean hasOneQuery;
  private @Nullable Plans unsaid;

  Transaction(Connection connection, Plans plans) {
    this(connection, plans, false);
  }

  private Transaction(Connection connection, Plans plans, boolean hasOneQuery) {
    this.connection = connection;
    this.hasOneQuery = hasOneQuery;
    this.unsaid = plans;
  }

  /** A transaction that ends with its first query. */
  static Transaction ofOneQuery(Connection connection, Plans plans) {
    return new Transaction(connection, plans, true);
  }

  /** A statement with named parameters ({@code :name}), to be bound and run once. */
  public Query query(String sql) {
    return query(NamedSql.of(sql));
  }

  /** The same for text that was put together for this call, of which nothing is kept. */
  public Query assembled(String sql) {
    return query(NamedSql.translate(sql));
  }

  private Query query(NamedSql sql) {
    Plans opening = unsaid;
    if (opening == null && hasOneQuery) {
      throw new IllegalStateException("the transaction has ended with its first query");
    }
    unsaid = null;
    return new Query(connection, sql, opening);
  }
}
