package dev.kagzi.e2e.faults;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectPackage;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs tests of the suite in a process of its own, so that what system properties say about faults
 * concerns these tests only. Ends with the number of tests that failed.
 */
final class SuiteProgram {

  private static final String SPEED = "measures how fast it is on a database that works";

  /** What cannot hold when statements are slow or repeated, each with the reason. */
  static final Map<String, String> LEFT_OUT =
      Map.of(
          "NewsTest.anEventReachesARunThatExecutesWithinASecond", SPEED,
          "NewsTest.anEventThroughAnotherServerDoesSoToo", SPEED,
          "ManyChildrenTest.startsAndAwaitsFiveHundredChildrenInSevenTenthsOfASecond", SPEED,
          "FanOutTest.executesFiveHundredStepsOfOneRunInAFifthOfASecond", SPEED,
          "SleepersTest.fiveHundredSleepOnOneWorkerOfTenSlots", SPEED,
          "ContinueTest.armsTheExecutionTimeoutAnew",
              "gives its runs three seconds, which one repeated transaction may use up");

  private static final int MOST = 100;

  private SuiteProgram() {}

  /** Arguments: classes, or packages, which end with a dot. */
  public static void main(String[] arguments) {
    var outcome = new Outcome();
    LauncherFactory.create().execute(request(arguments), outcome);
    System.out.printf("suite.tests: %d%n", outcome.passed.get() + outcome.failed.get());
    System.out.printf("suite.failed: %d%n", outcome.failed.get());
    System.exit(Math.min(outcome.failed.get(), MOST));
  }

  private static LauncherDiscoveryRequest request(String... names) {
    return LauncherDiscoveryRequestBuilder.request()
        .selectors(Arrays.stream(names).map(SuiteProgram::selector).toList())
        .filters(
            TagFilter.excludeTags("soak", "scale"), (PostDiscoveryFilter) SuiteProgram::isLeftOut)
        .build();
  }

  private static DiscoverySelector selector(String name) {
    return name.endsWith(".")
        ? selectPackage(name.substring(0, name.length() - 1))
        : selectClass(name);
  }

  private static FilterResult isLeftOut(TestDescriptor test) {
    String reason =
        test.getSource()
            .filter(MethodSource.class::isInstance)
            .map(MethodSource.class::cast)
            .map(method -> simpleName(method.getClassName()) + "." + method.getMethodName())
            .map(LEFT_OUT::get)
            .orElse(null);
    return reason == null ? FilterResult.included("") : FilterResult.excluded(reason);
  }

  private static String simpleName(String className) {
    return className.substring(className.lastIndexOf('.') + 1);
  }

  /** Counts tests and shows what went wrong. */
  private static final class Outcome implements TestExecutionListener {

    final AtomicInteger passed = new AtomicInteger();
    final AtomicInteger failed = new AtomicInteger();

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
      if (result.getThrowable().isPresent()) {
        failed.incrementAndGet();
        System.out.printf("suite.failure: %s%n", test.getUniqueId());
        result.getThrowable().get().printStackTrace(System.out);
      } else if (test.isTest()) {
        passed.incrementAndGet();
      }
    }
  }
}
