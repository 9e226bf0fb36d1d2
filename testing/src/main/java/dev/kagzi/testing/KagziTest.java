package dev.kagzi.testing;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Marks a test class, or one test, whose methods take a {@link TestKagzi}.
 *
 * <pre>{@code
 * @KagziTest
 * class OrderTest {
 *   @Test
 *   void coolsOffForADay(TestKagzi kagzi) {
 *     var run = kagzi.register(ORDER, new OrderWorkflow()).start(ORDER, order);
 *
 *     run.until(r -> r.isSleepingIn("cool-off"));
 *     run.advance("1d");
 *
 *     assertThat(run.result()).isEqualTo("shipped");
 *   }
 * }
 * }</pre>
 */
@Documented
@Inherited
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(KagziExtension.class)
public @interface KagziTest {}
