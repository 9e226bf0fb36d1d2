package dev.kagzi.sdk.internal;

import dev.kagzi.sdk.ContinueOptions;
import dev.kagzi.v1.Divergence;
import dev.kagzi.v1.StopRequest;
import org.jspecify.annotations.Nullable;

/** How a pass over a workflow ends before its body does. */
sealed interface PassEnd {

  /** Why, as the end of a sentence. */
  String why();

  /** The run waits, and the server knows for what. */
  record Suspended(String why) implements PassEnd {}

  /** The run ends and another goes on from here. */
  record Continued(@Nullable Object input, ContinueOptions options) implements PassEnd {
    @Override
    public String why() {
      return "it continues as a new run";
    }
  }

  /** The run is not this worker's any more; nothing is reported. */
  record Stopped(String why) implements PassEnd {}

  /** The thread did not leave a step, and another goes on with the run; nothing is reported. */
  record LeftBehind(String step) implements PassEnd {
    @Override
    public String why() {
      return "another thread goes on with it, because step '%s' did not end".formatted(step);
    }
  }

  /** The run was asked to stop; it undoes its work and ends as it was asked to. */
  record Stopping(StopRequest request) implements PassEnd {
    @Override
    public String why() {
      String reason = request.getReason();
      return "it was asked to stop" + (reason.isBlank() ? "" : ", " + reason);
    }
  }

  /** The code no longer matches what was recorded; the run is handed back. */
  record Diverged(Divergence divergence) implements PassEnd {
    @Override
    public String why() {
      return divergence.getMessage();
    }
  }

  /** A run of a workflow that this worker has not registered; it is handed back. */
  record NotServed(String type, String version) implements PassEnd {
    @Override
    public String why() {
      return "this worker does not serve %s version '%s'".formatted(type, version);
    }
  }
}
