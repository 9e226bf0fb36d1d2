package dev.kagzi.bench.inner;

import dev.kagzi.bench.driver.Contender;
import dev.kagzi.core.Payload;
import dev.kagzi.sdk.payload.JacksonCodec;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** A step's result to bytes and back: the text of the measurement, and a small order. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class CodecBenchmark {

  /** What people pass around. */
  public record Order(String id, List<String> items, int cents) {}

  private final JacksonCodec codec = new JacksonCodec();
  private final Order order = new Order("A-1001", List.of("kettle", "cup", "tea"), 4990);
  private final Payload text = codec.encode(Contender.RESULT, String.class);
  private final Payload written = codec.encode(order, Order.class);

  @Benchmark
  public Object encodeText() {
    return codec.encode(Contender.RESULT, String.class);
  }

  @Benchmark
  public Object decodeText() {
    return codec.decode(text, String.class);
  }

  @Benchmark
  public Object encodeOrder() {
    return codec.encode(order, Order.class);
  }

  @Benchmark
  public Object decodeOrder() {
    return codec.decode(written, Order.class);
  }
}
