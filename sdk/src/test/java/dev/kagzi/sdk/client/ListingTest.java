package dev.kagzi.sdk.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kagzi.sdk.Page;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ListingTest {

  private final List<String> asked = new ArrayList<>();
  private final Listing<Integer> numbers =
      new Listing<>((size, token) -> {
        asked.add(token);
        int from = token.isEmpty() ? 0 : Integer.parseInt(token);
        // Nothing between 200 and 400 matches, as when a server had to scan.
        int to = from == 200 ? 400 : Math.min(500, from + size);
        return new Page<>(
            from == 200 ? List.of() : IntStream.range(from, to).boxed().toList(),
            to < 500 ? Optional.of(Integer.toString(to)) : Optional.empty());
      });

  @Test
  void readsPageByPageWithTheTokenOfThePageBefore() {
    Page<Integer> first = numbers.page(2);
    Page<Integer> second = numbers.page(2, first.next().orElseThrow());

    assertThat(first.items()).containsExactly(0, 1);
    assertThat(second.items()).containsExactly(2, 3);
  }

  @Test
  void asksForAPageOnlyWhenItsTurnHasCome() {
    assertThat(numbers.stream().limit(200)).hasSize(200);

    assertThat(asked).containsExactly("");
  }

  @Test
  void goesOnBehindAPageThatIsEmpty() {
    assertThat(numbers.all()).hasSize(300).endsWith(499);
    assertThat(numbers).hasSize(300);

    assertThat(asked).containsExactly("", "200", "400", "", "200", "400");
  }

  @Test
  void refusesAPageOfNoSize() {
    assertThatThrownBy(() -> numbers.page(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("page size: 0 (expected: 1 to 1000)");
    assertThatThrownBy(() -> numbers.page(1001)).hasMessageContaining("1001");
    assertThat(asked).isEmpty();
  }
}
