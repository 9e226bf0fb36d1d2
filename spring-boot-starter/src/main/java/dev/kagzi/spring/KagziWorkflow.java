package dev.kagzi.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Names the workflow that a bean of type {@link dev.kagzi.sdk.Workflow} is; on its class or on its
 * {@code @Bean} method. The worker of the application serves every bean that has it, wherever it
 * was defined.
 *
 * <pre>{@code
 * @Component
 * @KagziWorkflow("process-order")
 * class OrderWorkflow implements Workflow<Order, Receipt> { ... }
 * }</pre>
 */
@Documented
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
public @interface KagziWorkflow {

  /** The type that runs are started by. */
  String value();

  /** The version of the workflow; empty for the unversioned one. */
  String version() default "";
}
