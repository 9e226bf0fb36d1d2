package dev.kagzi.e2e.killmatrix;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.api.AnnotationsProto;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.kagzi.e2e.killmatrix.Matrix.Cell;
import dev.kagzi.engine.loop.Loop;
import dev.kagzi.v1.AdminServiceProto;
import dev.kagzi.v1.NamespaceServiceProto;
import dev.kagzi.v1.WorkerServiceProto;
import dev.kagzi.v1.WorkflowScheduleServiceProto;
import dev.kagzi.v1.WorkflowServiceProto;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A server dies at every moment of every transaction: before its statement, before its commit, and
 * after it with nobody told. Its caller repeats the call elsewhere and is answered as the contract
 * says; whatever the dead server's loops had begun is finished by the next one; all runs end once.
 */
@Order(1)
class KillMatrixTest {

  private static final int LANES = 8;

  /**
   * In every build eight lanes share two cores with other tests: then this test shows that nothing
   * is lost, and {@link HaltMatrixIT}, which grants none, that it is not late either.
   */
  private static final Duration SLACK = Duration.ofSeconds(10);

  /** What changes nothing needs no case, and says so by being a GET. */
  private static final Set<String> READ_ONLY =
      Set.of(
          "AwaitWorkflow",
          "CountWorkflows",
          "ExplainWorkflow",
          "GetBatch",
          "GetHistory",
          "GetNamespace",
          "GetSchedule",
          "GetServerInfo",
          "GetState",
          "GetStats",
          "GetStep",
          "GetWorker",
          "GetWorkflow",
          "HealthCheck",
          "ListBatches",
          "ListChildResults",
          "ListNamespaces",
          "ListQueues",
          "ListScheduleRuns",
          "ListSchedules",
          "ListSteps",
          "ListWorkers",
          "ListWorkflowTypes",
          "ListWorkflows",
          "PreviewSchedule");

  /** It looks for work; what it finds is claimed as by PollTask. */
  private static final Set<String> READING_LOOPS = Set.of("FallbackPoller");

  private static Matrix matrix;

  @BeforeAll
  static void begin() {
    matrix = new Matrix(StationVictim::start, LANES, SLACK).begin(Matrix.cells());
  }

  @AfterAll
  static void end() throws InterruptedException {
    matrix.report("killmatrix");
    matrix.close();
  }

  static List<Cell> cells() {
    return Matrix.cells();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("cells")
  void nothingIsLostAndNothingIsDoneTwice(Cell cell) throws Throwable {
    matrix.check(cell);
  }

  @Test
  void everyMethodThatChangesSomethingHasACase() {
    assertThat(methods(method -> !isRead(method)))
        .isEqualTo(
            Matrix.calls().stream()
                .map(CallCase::method)
                .collect(Collectors.toCollection(TreeSet::new)));
    assertThat(methods(KillMatrixTest::isRead)).isEqualTo(READ_ONLY);
  }

  private static Set<String> methods(Predicate<MethodDescriptor> which) {
    return Stream.of(
            AdminServiceProto.getDescriptor(),
            NamespaceServiceProto.getDescriptor(),
            WorkerServiceProto.getDescriptor(),
            WorkflowScheduleServiceProto.getDescriptor(),
            WorkflowServiceProto.getDescriptor())
        .map(FileDescriptor::getServices)
        .flatMap(List::stream)
        .flatMap(service -> service.getMethods().stream())
        .filter(which)
        .map(MethodDescriptor::getName)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static boolean isRead(MethodDescriptor method) {
    return method.getOptions().getExtension(AnnotationsProto.http).hasGet();
  }

  @Test
  void everyLoopThatChangesSomethingHasACase() {
    Set<String> loops =
        new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackagesOf(Loop.class)
                .stream()
                .filter(
                    type -> type.getMethods().stream().anyMatch(m -> m.getName().equals("runOnce")))
                .map(JavaClass::getSimpleName)
                .collect(Collectors.toSet());
    Set<String> covered = Matrix.loops().stream().map(LoopCase::loop).collect(Collectors.toSet());
    assertThat(loops).containsAll(READING_LOOPS);
    loops.removeAll(READING_LOOPS);
    assertThat(covered).containsAll(loops);
  }
}
