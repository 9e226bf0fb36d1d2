package dev.kagzi.faults;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Hits one statement, the first of its kind after it was armed. Thread-safe. */
public final class OneFault implements FaultPlan {

  private final List<String> fragments;
  private final Fault fault;
  private boolean armed;

  /**
   * @param fragments what the statement contains, in this order
   */
  public OneFault(List<String> fragments, Fault fault) {
    this.fragments = List.copyOf(fragments);
    this.fault = fault;
  }

  public synchronized OneFault arm() {
    armed = true;
    return this;
  }

  @Override
  public synchronized @Nullable Fault next(String sql) {
    if (!armed || !matches(sql)) {
      return null;
    }
    armed = false;
    return fault;
  }

  private boolean matches(String sql) {
    int from = 0;
    for (String fragment : fragments) {
      int at = sql.indexOf(fragment, from);
      if (at < 0) {
        return false;
      }
      from = at + fragment.length();
    }
    return true;
  }
}
