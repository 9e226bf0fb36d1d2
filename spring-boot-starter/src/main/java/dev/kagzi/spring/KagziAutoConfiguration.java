package dev.kagzi.spring;

import dev.kagzi.sdk.Workflow;
import dev.kagzi.sdk.client.ClientBuilder;
import dev.kagzi.sdk.client.KagziClient;
import dev.kagzi.sdk.worker.Worker;
import dev.kagzi.sdk.worker.WorkerBuilder;
import dev.kagzi.spring.KagziProperties.WorkerProperties;
import java.util.List;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A client for every application, and a worker for those that have workflows among their beans. */
@AutoConfiguration
@EnableConfigurationProperties(KagziProperties.class)
public class KagziAutoConfiguration {

  @Bean
  @ConditionalOnMissingBean
  KagziClient kagziClient(KagziProperties properties, ObjectProvider<KagziCustomizer> customizers) {
    ClientBuilder client =
        KagziClient.builder(properties.address()).namespace(properties.namespace());
    customizers.orderedStream().forEach(customizer -> customizer.customize(client));
    return client.connect();
  }

  /** Executes workflows, unless the application has a worker of its own or wants none. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnProperty(name = "kagzi.worker.enabled", matchIfMissing = true)
  @ConditionalOnBean(Workflow.class)
  @ConditionalOnMissingBean(Worker.class)
  static class WorkerConfiguration {

    /** What the worker serves, as it is known once the worker is built. */
    record Served(Worker worker, List<String> workflows) {}

    @Bean
    Served kagziServed(
        KagziProperties properties,
        ListableBeanFactory beans,
        ObjectProvider<KagziCustomizer> customizers) {
      WorkerProperties wanted = properties.worker();
      WorkerBuilder worker =
          Worker.builder(properties.address(), wanted.queue())
              .namespace(properties.namespace())
              .maxConcurrent(wanted.maxConcurrent())
              .version(wanted.version())
              .drainTimeout(wanted.drainTimeout());
      wanted.labels().forEach(worker::label);
      List<String> workflows = new WorkflowBeans(beans).registerWith(worker);
      customizers.orderedStream().forEach(customizer -> customizer.customize(worker));
      return new Served(worker.build(), workflows);
    }

    @Bean(destroyMethod = "")
    Worker kagziWorker(Served served) {
      return served.worker();
    }

    @Bean
    WorkerLifecycle kagziWorkerLifecycle(Served served, KagziProperties properties) {
      return new WorkerLifecycle(served.worker(), properties, served.workflows());
    }
  }
}
