package dev.kagzi.engine.jdbc;

import java.sql.Connection;

/** An open transaction: what store methods take to say that they never open one themselves. */
public final class Transaction {

  private final Connection connection;

  Transaction(Connection connection) {
    this.connection = connection;
  }

  /** A statement with named parameters ({@code :name}), to be bound and run once. */
  public Query query(String sql) {
    return new Query(connection, NamedSql.of(sql));
  }

  /** The same for text that was put together for this call, of which nothing is kept. */
  public Query assembled(String sql) {
    return new Query(connection, NamedSql.translate(sql));
  }
}
