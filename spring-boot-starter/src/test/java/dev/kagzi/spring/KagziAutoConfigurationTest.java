package dev.kagzi.spring;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.kagzi.embedded.Kagzi;
import dev.kagzi.postgres.SharedPostgres;
import dev.kagzi.sdk.Workflow;
import dev.kagzi.sdk.WorkflowContext;
import dev.kagzi.sdk.client.ClientBuilder;
import dev.kagzi.sdk.client.KagziClient;
import dev.kagzi.sdk.worker.Worker;
import dev.kagzi.sdk.worker.WorkerBuilder;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

class KagziAutoConfigurationTest {

  private static HikariDataSource pool;
  private static Kagzi server;

  @BeforeAll
  static void startServer() {
    pool = new HikariDataSource();
    pool.setJdbcUrl(SharedPostgres.freshDatabase());
    server = Kagzi.embedded(pool).start();
  }

  @AfterAll
  static void stopServer() {
    server.close();
    pool.close();
  }

  @KagziWorkflow("greet")
  static final class Greet implements Workflow<String, String> {
    @Override
    public String run(WorkflowContext ctx, String name) {
      return ctx.step("compose", String.class, () -> "hello " + name);
    }
  }

  /** A workflow without a name. */
  static final class Nameless implements Workflow<String, String> {
    @Override
    public String run(WorkflowContext ctx, String name) {
      return name;
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Workflows {
    @Bean
    Greet greeting() {
      return new Greet();
    }

    @Bean
    @KagziWorkflow(value = "part", version = "2")
    Workflow<String, String> parting() {
      return new Part();
    }

    @Bean
    Nameless nameless() {
      return new Nameless();
    }
  }

  static final class Part implements Workflow<String, String> {
    @Override
    public String run(WorkflowContext ctx, String name) {
      return "good bye " + name;
    }
  }

  private static ApplicationContextRunner application() {
    return new ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(KagziAutoConfiguration.class, KagziHealthAutoConfiguration.class))
        .withPropertyValues(
            "kagzi.address=" + server.address(),
            "kagzi.worker.queue=spring",
            "kagzi.worker.labels.region=eu-1",
            "kagzi.worker.version=1.4.2",
            "kagzi.worker.max-concurrent=7",
            "kagzi.worker.drain-timeout=3s");
  }

  @Test
  void servesTheWorkflowsAmongTheBeans() {
    application()
        .withUserConfiguration(Workflows.class)
        .run(context -> {
          var client = context.getBean(KagziClient.class);
          String id = context.getBean(Worker.class).workerId().orElseThrow();

          String greeting =
              client.start("greet").queue("spring").input("Ada").send().result().as(String.class);
          var part = client.start("part").version("2").queue("spring").input("Ada").send();

          assertThat(greeting).isEqualTo("hello Ada");
          assertThat(part.result().as(String.class)).isEqualTo("good bye Ada");
          var seen = client.workers().get(id).worker();
          assertThat(seen.queue()).isEqualTo("spring");
          assertThat(seen.slots()).isEqualTo(7);
          assertThat(seen.labels()).containsEntry("region", "eu-1");
          assertThat(seen.types()).hasSize(2);
        });
  }

  @Test
  void theWorkerLeavesBeforeTheApplicationIsGone() {
    var ids = new CopyOnWriteArrayList<String>();
    application()
        .withUserConfiguration(Workflows.class)
        .run(context -> ids.add(context.getBean(Worker.class).workerId().orElseThrow()));

    try (var client = KagziClient.connect(server.address())) {
      var left = client.workers().get(ids.get(0)).worker();
      assertThat(left.leftAt()).isPresent();
    }
  }

  @Test
  void anApplicationWithoutWorkflowsHasAClientOnly() {
    application()
        .run(context -> {
          assertThat(context).hasSingleBean(KagziClient.class).doesNotHaveBean(Worker.class);
          assertThat(health(context.getBean(HealthIndicator.class)).getStatus())
              .isEqualTo(Status.UP);
        });
    application()
        .withUserConfiguration(Workflows.class)
        .withPropertyValues("kagzi.worker.enabled=false")
        .run(context -> assertThat(context).doesNotHaveBean(Worker.class));
  }

  @Test
  void whatTheApplicationDefinesItselfIsLeftAlone() {
    try (var own = KagziClient.connect(server.address());
        var worker =
            Worker.builder(server.address(), "own").register("greet", new Greet()).build()) {
      application()
          .withUserConfiguration(Workflows.class)
          .withBean("mine", KagziClient.class, () -> own)
          .withBean("minesToo", Worker.class, () -> worker)
          .run(context -> {
            assertThat(context).getBean(KagziClient.class).isSameAs(own);
            assertThat(context).getBean(Worker.class).isSameAs(worker);
            assertThat(worker.isRegistered()).isFalse();
          });
    }
  }

  @Test
  void customizersHaveTheLastWord() {
    var asked = new CopyOnWriteArrayList<Object>();
    var customizer =
        new KagziCustomizer() {
          @Override
          public void customize(ClientBuilder client) {
            asked.add(client);
          }

          @Override
          public void customize(WorkerBuilder worker) {
            asked.add(worker);
            worker.register("nameless", new Nameless()).maxConcurrent(3);
          }
        };
    application()
        .withUserConfiguration(Workflows.class)
        .withBean(KagziCustomizer.class, () -> customizer)
        .run(context -> {
          var client = context.getBean(KagziClient.class);
          assertThat(asked).hasSize(2);
          var run = client.start("nameless").queue("spring").input("Ada").send();
          assertThat(run.result(Duration.ofSeconds(20)).as(String.class)).isEqualTo("Ada");
          String id = context.getBean(Worker.class).workerId().orElseThrow();
          assertThat(client.workers().get(id).worker().slots()).isEqualTo(3);
        });
  }

  @Test
  void healthTellsOfTheWorkerAndOfAServerThatIsNotThere() {
    application()
        .withUserConfiguration(Workflows.class)
        .run(context -> {
          var indicator = context.getBean(HealthIndicator.class);
          await().until(() -> health(indicator).getStatus().equals(Status.UP));
          assertThat(health(indicator).getDetails())
              .containsEntry("queue", "spring")
              .containsKeys("worker", "lastHeartbeat", "active");
          assertThat(context.getBeanNamesForType(HealthIndicator.class))
              .containsExactly("kagziHealthIndicator");
        });
    application()
        .withUserConfiguration(Workflows.class)
        .withPropertyValues("kagzi.address=127.0.0.1:1")
        .run(context ->
            assertThat(health(context.getBean(HealthIndicator.class)).getStatus())
                .isEqualTo(Status.DOWN));
  }

  private static Health health(HealthIndicator indicator) {
    return requireNonNull(indicator.health());
  }

  @Test
  void anApplicationWithoutTheActuatorIsFineToo() {
    application()
        .withClassLoader(new FilteredClassLoader("org.springframework.boot.health"))
        .run(context ->
            assertThat(context)
                .hasNotFailed()
                .hasSingleBean(KagziClient.class)
                .doesNotHaveBean("kagziHealthIndicator"));
  }

  @Test
  void aWorkflowThatCannotBeServedIsNamed() {
    application()
        .withBean("state", Forgetful.class, Forgetful::new)
        .run(context ->
            assertThat(context)
                .getFailure()
                .hasStackTraceContaining("bean 'state' cannot be served as workflow 'forgetful'"));
  }

  /** A workflow with a field that is not final, which the SDK refuses. */
  @KagziWorkflow("forgetful")
  static final class Forgetful implements Workflow<String, String> {
    private List<String> names = List.of();

    @Override
    public String run(WorkflowContext ctx, String name) {
      names = List.of(name);
      return names.get(0);
    }
  }
}
