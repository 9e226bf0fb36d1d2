package dev.kagzi.engine.mutation;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs tests within a test, against classes of their own. */
final class TestRun {

  /** A mutant may well hang. */
  private static final String PATIENCE = "30 s";

  private static final LauncherConfig QUIET =
      LauncherConfig.builder()
          .enableTestExecutionListenerAutoRegistration(false)
          .enableLauncherSessionListenerAutoRegistration(false)
          .enableLauncherDiscoveryListenerAutoRegistration(false)
          .enablePostDiscoveryFilterAutoRegistration(false)
          .build();

  /**
   * What became of the tests.
   *
   * @param trouble what failed around the tests, before, after or instead of them
   */
  record Result(List<String> passed, List<String> failed, List<String> trouble) {}

  private TestRun() {}

  static Result of(List<Edit> edits, List<NamedTest> tests, Path folder) {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    try (MutantClasses classes = MutantClasses.of(edits, folder)) {
      thread.setContextClassLoader(classes);
      LauncherDiscoveryRequest request =
          LauncherDiscoveryRequestBuilder.request()
              .selectors(tests.stream().map(test -> test.selector(classes)).toList())
              .configurationParameter("junit.jupiter.execution.parallel.enabled", "false")
              .configurationParameter(
                  "junit.jupiter.execution.timeout.testable.method.default", PATIENCE)
              .configurationParameter(
                  "junit.jupiter.execution.timeout.thread.mode.default", "SEPARATE_THREAD")
              .build();
      Listener listener = new Listener();
      LauncherFactory.create(QUIET).execute(request, listener);
      return listener.result();
    } catch (IOException unclosed) {
      throw new IllegalStateException(unclosed);
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  private static final class Listener implements TestExecutionListener {
    private final Queue<String> passed = new ConcurrentLinkedQueue<>();
    private final Queue<String> failed = new ConcurrentLinkedQueue<>();
    private final Queue<String> trouble = new ConcurrentLinkedQueue<>();

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
      boolean well = result.getStatus() == TestExecutionResult.Status.SUCCESSFUL;
      String told =
          test.getLegacyReportingName() + result.getThrowable().map(t -> ": " + t).orElse("");
      if (test.isTest()) {
        (well ? passed : failed).add(told);
      } else if (!well) {
        trouble.add(told);
      }
    }

    Result result() {
      return new Result(List.copyOf(passed), List.copyOf(failed), List.copyOf(trouble));
    }
  }
}
