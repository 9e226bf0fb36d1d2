package dev.kagzi.e2e;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.conditions.ArchPredicates.are;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import dev.kagzi.engine.jdbc.Transaction;
import java.time.Clock;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import org.junit.jupiter.api.Test;

/** Dependencies point one way: the table of ARCHITECTURE.md, held by a test. */
class ArchitectureTest {

  /** Without what is generated, most of all code; rules about who uses it hold all the same. */
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .withImportOption(place -> !place.contains("/dev/kagzi/v1/"))
          .importPackages("dev.kagzi");

  private static final String[] GENERATED = {"dev.kagzi.v1.."};

  @Test
  void packagesAreFreeOfCycles() {
    slices()
        .matching("dev.kagzi.(**)")
        .namingSlices("$1")
        .should()
        .beFreeOfCycles()
        .check(CLASSES.that(are(resideOutsideOfPackages(GENERATED))));
  }

  @Test
  void theEngineImportsDownwardsOnly() {
    layeredArchitecture()
        .consideringOnlyDependenciesInAnyPackage("dev.kagzi.engine..")
        .layer("engine")
        .definedBy("dev.kagzi.engine")
        .layer("loop")
        .definedBy("dev.kagzi.engine.loop")
        .layer("operation")
        .definedBy("dev.kagzi.engine.operation")
        .layer("commit")
        .definedBy("dev.kagzi.engine.commit")
        .layer("wakeup")
        .definedBy("dev.kagzi.engine.wakeup")
        .layer("store")
        .definedBy("dev.kagzi.engine.store")
        .layer("domain")
        .definedBy("dev.kagzi.engine.domain")
        .layer("jdbc")
        .definedBy("dev.kagzi.engine.jdbc")
        .whereLayer("engine")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("loop")
        .mayOnlyBeAccessedByLayers("engine")
        .whereLayer("operation")
        .mayOnlyBeAccessedByLayers("engine", "loop")
        .whereLayer("commit")
        .mayOnlyBeAccessedByLayers("engine", "loop", "operation")
        .whereLayer("wakeup")
        .mayOnlyBeAccessedByLayers("engine", "loop", "operation", "commit")
        .whereLayer("store")
        .mayOnlyBeAccessedByLayers("engine", "loop", "operation", "commit", "wakeup")
        .check(CLASSES);
  }

  @Test
  void modulesKeepTheirDirection() {
    forbid("dev.kagzi.core..", "dev.kagzi.engine..", "dev.kagzi.v1..", "dev.kagzi.sdk..");
    forbid("dev.kagzi.engine..", "dev.kagzi.v1..", "io.grpc..", "com.google.protobuf..");
    forbid("dev.kagzi.engine..", "dev.kagzi.server..", "dev.kagzi.sdk..", "dev.kagzi.cli..");
    forbid("dev.kagzi.engine..", "io.micrometer..", "io.prometheus..");
    forbid("dev.kagzi.sdk..", "dev.kagzi.engine..", "dev.kagzi.server..", "dev.kagzi.embedded..");
    forbid("dev.kagzi.server..", "dev.kagzi.sdk..", "dev.kagzi.cli..", "dev.kagzi.embedded..");
    forbid("dev.kagzi.embedded..", "dev.kagzi.testing..", "dev.kagzi.spring..", "dev.kagzi.cli..");
    forbid("dev.kagzi.testing..", "dev.kagzi.spring..", "dev.kagzi.bench..", "dev.kagzi.cli..");
    forbid("dev.kagzi.spring..", "dev.kagzi.engine..", "dev.kagzi.server..", "io.grpc..");
    forbid("dev.kagzi.spring..", "dev.kagzi.embedded..", "dev.kagzi.testing..", "dev.kagzi.cli..");
    forbid("dev.kagzi.bench..", "dev.kagzi.engine..", "dev.kagzi.cli..");
    forbid("dev.kagzi.examples..", "dev.kagzi.engine..", "dev.kagzi.server..", "io.grpc..");
  }

  /** The peers load it beside libraries that do not agree with ours. */
  @Test
  void theDriverOfTheBenchNeedsNothingButTheJdk() {
    classes()
        .that()
        .resideInAPackage("dev.kagzi.bench.driver")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage("java..", "org.jspecify..", "dev.kagzi.bench.driver")
        .check(CLASSES);
  }

  private static void forbid(String from, String... to) {
    noClasses()
        .that()
        .resideInAPackage(from)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(to)
        .check(CLASSES);
  }

  @Test
  void onlyTheStoresAndTheToolkitTouchTheDatabase() {
    noClasses()
        .that()
        .resideInAnyPackage("dev.kagzi.engine..", "dev.kagzi.server..", "dev.kagzi.sdk..")
        .and()
        .resideOutsideOfPackages(
            "dev.kagzi.engine.store",
            "dev.kagzi.engine.wakeup",
            "dev.kagzi.engine.jdbc",
            // Opens the pool and explains why it could not.
            "dev.kagzi.server")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("java.sql", "org.postgresql..")
        .check(CLASSES);
  }

  @Test
  void onlyTheEdgesTouchGrpcAndTheStubs() {
    noClasses()
        .that()
        .resideOutsideOfPackages(
            "dev.kagzi.v1..",
            "dev.kagzi.server..",
            "dev.kagzi.sdk..",
            "dev.kagzi.embedded..",
            // Loses workers between a call and its reply.
            "dev.kagzi.testing.internal",
            // Counts and floods beside the SDK.
            "dev.kagzi.bench.kagzi",
            "dev.kagzi.cli..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.grpc..", "dev.kagzi.v1..")
        .check(CLASSES);
    noClasses()
        .that()
        .resideInAPackage("dev.kagzi.sdk..")
        .and()
        .resideOutsideOfPackage("dev.kagzi.sdk.internal..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.grpc..", "dev.kagzi.v1..")
        .check(CLASSES);
  }

  @Test
  void nobodyAsksTheWallClock() {
    noClasses()
        .that()
        .resideInAnyPackage(
            "dev.kagzi.core..",
            "dev.kagzi.engine..",
            "dev.kagzi.server..",
            "dev.kagzi.sdk..",
            "dev.kagzi.embedded..")
        .should()
        .callMethod(Instant.class, "now")
        .orShould()
        .callMethod(LocalDate.class, "now")
        .orShould()
        .callMethod(OffsetDateTime.class, "now")
        .orShould()
        .callMethod(ZonedDateTime.class, "now")
        .orShould()
        .callMethod(Clock.class, "systemUTC")
        .orShould()
        .callMethod(System.class, "currentTimeMillis")
        .check(CLASSES);
  }

  @Test
  void theSdkShowsItsUsersNothingInternalOrGenerated() {
    classes()
        .that()
        .resideInAPackage("dev.kagzi.sdk..")
        .and()
        .resideOutsideOfPackage("dev.kagzi.sdk.internal..")
        .and()
        .arePublic()
        .should(
            nameOnly(
                resideOutsideOfPackages(
                    "dev.kagzi.sdk.internal..",
                    "dev.kagzi.v1..",
                    "io.grpc..",
                    "com.google.protobuf..")))
        .check(CLASSES);
  }

  @Test
  void theTestingModuleShowsItsUsersNothingInternalOrGenerated() {
    classes()
        .that()
        .resideInAPackage("dev.kagzi.testing")
        .and()
        .arePublic()
        .should(
            nameOnly(
                resideOutsideOfPackages(
                    "dev.kagzi.testing.internal..",
                    "dev.kagzi.engine..",
                    "dev.kagzi.server..",
                    "dev.kagzi.v1..",
                    "io.grpc..")))
        .check(CLASSES);
  }

  private static ArchCondition<JavaClass> nameOnly(DescribedPredicate<JavaClass> allowed) {
    return new ArchCondition<>(
        "name in public signatures only types that " + allowed.getDescription()) {
      @Override
      public void check(JavaClass type, ConditionEvents events) {
        for (JavaMethod method : type.getMethods()) {
          if (!method.getModifiers().contains(JavaModifier.PUBLIC)
              || method.getModifiers().contains(JavaModifier.SYNTHETIC)) {
            continue;
          }
          method.getAllInvolvedRawTypes().stream()
              .filter(allowed.negate())
              .forEach(named ->
                  events.add(
                      SimpleConditionEvent.violated(
                          method, method.getFullName() + " names " + named.getName())));
        }
      }
    };
  }

  @Test
  void onlyTheStoresHoldSql() {
    noClasses()
        .that(
            are(
                resideInAnyPackage(
                    "dev.kagzi.engine.operation",
                    "dev.kagzi.engine.loop",
                    "dev.kagzi.engine.commit",
                    "dev.kagzi.engine.domain")))
        .should()
        .callMethod(Transaction.class, "query", String.class)
        .check(CLASSES);
  }
}
