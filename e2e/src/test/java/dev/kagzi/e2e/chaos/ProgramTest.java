package dev.kagzi.e2e.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ProgramTest {
  private static final int SEEDS = 3000;

  @Test
  void everyOperationComesUp() {
    var kinds = new HashSet<Class<?>>();
    jobs().forEach(job -> Program.of(job).ops().forEach(op -> kinds.add(op.getClass())));

    assertThat(kinds).containsExactlyInAnyOrder(Op.class.getPermittedSubclasses());
  }

  @Test
  void aSeedAlwaysMeansTheSameProgramAndTheSameEnd() {
    for (Job job : jobs()) {
      assertThat(Program.of(job)).isEqualTo(Program.of(job));
      assertThat(Model.of(job).steps()).isEqualTo(Model.of(job).steps());
      assertThat(Model.of(job).output()).isEqualTo(Model.of(job).output());
    }
  }

  @Test
  void namesAreUniqueInAProgramAndMostProgramsAreSmall() {
    assertThat(jobs())
        .allSatisfy(
            job -> assertThat(Program.of(job).ops()).extracting(Op::name).doesNotHaveDuplicates());
    assertThat(jobs().stream().filter(job -> Program.of(job).ops().size() <= 3))
        .hasSizeGreaterThan(SEEDS / 2);
  }

  @Test
  void aDeckHoldsEveryFaultAndASeedAlwaysDrawsTheSame() {
    var first = draw(new Fault.Deck(new Random(1), List.of()));

    assertThat(first).contains(Fault.values());
    assertThat(first).filteredOn(fault -> fault == Fault.KILL_POSTGRES).hasSize(1);
    assertThat(draw(new Fault.Deck(new Random(1), List.of()))).isEqualTo(first);
    assertThat(draw(new Fault.Deck(new Random(2), List.of()))).isNotEqualTo(first);
  }

  private static List<Fault> draw(Fault.Deck deck) {
    return Stream.generate(deck::draw).limit(20).toList();
  }

  private static List<Job> jobs() {
    return LongStream.range(0, SEEDS).mapToObj(Job::of).toList();
  }
}
