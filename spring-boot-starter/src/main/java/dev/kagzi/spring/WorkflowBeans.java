package dev.kagzi.spring;

import dev.kagzi.sdk.Workflow;
import dev.kagzi.sdk.worker.WorkerBuilder;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;

/**
 * The workflows among the beans of an application. They are found by their type, so that one
 * without a name is noticed rather than missed.
 */
final class WorkflowBeans {

  private static final Logger LOG = LoggerFactory.getLogger(WorkflowBeans.class);

  private final ListableBeanFactory beans;
  private final List<String> labels = new ArrayList<>();

  WorkflowBeans(ListableBeanFactory beans) {
    this.beans = beans;
  }

  /** Registers them all; returns what they are called. */
  List<String> registerWith(WorkerBuilder worker) {
    beans
        .getBeansOfType(Workflow.class)
        .forEach((name, workflow) -> register(name, workflow, worker));
    return List.copyOf(labels);
  }

  private void register(String bean, Workflow<?, ?> workflow, WorkerBuilder worker) {
    KagziWorkflow named = beans.findAnnotationOnBean(bean, KagziWorkflow.class);
    if (named == null) {
      LOG.warn(
          "bean '{}' is a workflow without a name and is not served (expected:"
              + " @KagziWorkflow(\"...\") on {} or on its @Bean method, or a KagziCustomizer that"
              + " registers it)",
          bean,
          workflow.getClass().getName());
      return;
    }
    try {
      worker.register(named.value(), named.version(), workflow);
    } catch (IllegalArgumentException refused) {
      throw new IllegalStateException(
          "bean '%s' cannot be served as workflow '%s': %s"
              .formatted(bean, named.value(), refused.getMessage()),
          refused);
    }
    String version = named.version().isEmpty() ? "" : "@" + named.version();
    labels.add(named.value() + version);
  }
}
