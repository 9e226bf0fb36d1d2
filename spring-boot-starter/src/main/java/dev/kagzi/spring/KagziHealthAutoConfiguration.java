package dev.kagzi.spring;

import dev.kagzi.sdk.client.KagziClient;
import dev.kagzi.sdk.worker.Worker;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** Shows {@code kagzi} in the health of applications that have the actuator. */
@AutoConfiguration(after = KagziAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(KagziClient.class)
public class KagziHealthAutoConfiguration {

  @Bean
  @ConditionalOnEnabledHealthIndicator("kagzi")
  @ConditionalOnMissingBean(name = "kagziHealthIndicator")
  HealthIndicator kagziHealthIndicator(KagziClient client, ObjectProvider<Worker> worker) {
    return new KagziHealthIndicator(client, worker.getIfAvailable());
  }
}
