package dev.kagzi.sdk.internal;

import static dev.kagzi.v1.WorkflowStatus.WORKFLOW_STATUS_COMPLETED;
import static dev.kagzi.v1.WorkflowStatus.WORKFLOW_STATUS_FAILED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.kagzi.core.Payload;
import dev.kagzi.sdk.StepFailedException;
import dev.kagzi.v1.CompleteStepRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class StepGroupTest {

  record Label(String sku) {}

  interface Warehouse {
    List<Label> labels(int count);

    int stock();

    void send(Label label) throws IOException;

    default String twice(String text) {
      return text + stock();
    }

    static Warehouse of(List<String> sent) {
      return new Shelves(sent);
    }
  }

  record Shelves(List<String> sent) implements Warehouse {
    @Override
    public List<Label> labels(int count) {
      List<Label> made = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        made.add(new Label("sku" + i));
      }
      return made;
    }

    @Override
    public int stock() {
      return 7;
    }

    @Override
    public void send(Label label) throws IOException {
      if (label.sku().isEmpty()) {
        throw new IOException("no address");
      }
      sent.add(label.sku());
    }
  }

  interface Loads<T> {
    T load();
  }

  interface LoadsText extends Loads<String> {}

  interface LoadsTextAgain extends Loads<String> {
    @Override
    String load();
  }

  interface Emptying {
    void empty(List<Label> labels);
  }

  interface Taking {
    String take(Object argument);
  }

  interface Overloaded {
    void send(String text);

    void send(int number);
  }

  private final RunFixture fixture = new RunFixture();
  private final List<String> sent = new ArrayList<>();

  @AfterEach
  void tearDown() {
    fixture.close();
  }

  @Test
  void callsAreStepsThatAreKnownByTheirMethods() {
    String runId =
        fixture.run((ctx, in) -> {
          Warehouse steps = ctx.steps(Warehouse.class, Warehouse.of(sent));
          for (Label label : steps.labels(2)) {
            steps.send(label);
          }
          return steps.twice(in) + steps.stock();
        });

    assertThat(fixture.view(runId).getStatus()).isEqualTo(WORKFLOW_STATUS_COMPLETED);
    assertThat(fixture.view(runId).getOutput().getJson()).isEqualTo("\"in77\"");
    assertThat(sent).containsExactly("sku0", "sku1");
    assertThat(completedSteps()).containsExactly("labels", "send", "send#2", "twice", "stock");
  }

  private List<String> completedSteps() {
    return fixture.server.calls().received(CompleteStepRequest.class).stream()
        .map(request -> request.getStep().getStepKey())
        .toList();
  }

  @Test
  void recordsWhatAStepWasCalledWithAsItWasBefore() {
    fixture.run((ctx, in) -> {
      Emptying emptying = ctx.steps(Emptying.class, List::clear);
      emptying.empty(new ArrayList<>(List.of(new Label("a"))));
      ctx.step("closure", String.class, () -> in);
      return in + ctx.steps(Warehouse.class, Warehouse.of(sent)).stock();
    });

    assertThat(fixture.server.calls().received(CompleteStepRequest.class))
        .extracting(request -> request.getStep().getInput().getJson())
        .containsExactly("[[{\"sku\":\"a\"}]]", "", "");
  }

  @Test
  void leavesOutArgumentsThatCannotBeShown() {
    String large = "x".repeat(Payload.MAX_BYTES);
    String runId =
        fixture.run((ctx, in) -> {
          Taking taking = ctx.steps(Taking.class, argument -> "taken");
          var circle = new ArrayList<Object>();
          circle.add(circle);
          return taking.take(circle) + taking.take(large);
        });

    assertThat(fixture.view(runId).getOutput().getJson()).isEqualTo("\"takentaken\"");
    assertThat(fixture.server.calls().received(CompleteStepRequest.class))
        .noneMatch(request -> request.getStep().hasInput());
  }

  @Test
  void questionsAboutAGroupAreNoSteps() {
    String runId =
        fixture.run((ctx, in) -> {
          Warehouse steps = ctx.steps(Warehouse.class, Warehouse.of(sent));
          boolean itself = new HashSet<>(List.of(steps)).contains(steps);
          return itself + " " + steps.equals(Warehouse.of(sent)) + " " + steps;
        });

    assertThat(fixture.view(runId).getOutput().getJson())
        .isEqualTo("\"true false steps of " + Warehouse.class.getName() + "\"");
    assertThat(completedSteps()).isEmpty();
  }

  @Test
  void aMethodThatThrowsFailsItsStepWithWhatItThrew() {
    String runId =
        fixture.run((ctx, in) -> {
          try {
            ctx.steps(Warehouse.class, Warehouse.of(sent)).send(new Label(""));
            return "sent";
          } catch (StepFailedException e) {
            return e.step() + " " + e.is(IOException.class) + " " + e.errorMessage();
          }
        });

    assertThat(fixture.view(runId).getOutput().getJson()).isEqualTo("\"send true no address\"");
  }

  @Test
  void callsInsideAStepOrOnAnotherThreadAreRefused() {
    String runId =
        fixture.run((ctx, in) -> {
          Warehouse steps = ctx.steps(Warehouse.class, Warehouse.of(sent));
          String inside = ctx.step("outer", String.class, () -> refusal(steps));
          var beside = new FutureTask<>(() -> refusal(steps));
          Thread.ofVirtual().start(beside);
          return inside + " / " + join(beside);
        });

    assertThat(fixture.view(runId).getOutput().getJson())
        .contains("inside step 'outer' of run " + runId)
        .contains("expected: the workflow's own thread");
  }

  private static String refusal(Warehouse steps) {
    try {
      return "not refused: " + steps.stock();
    } catch (IllegalStateException e) {
      return String.valueOf(e.getMessage());
    }
  }

  private static String join(FutureTask<String> task) throws InterruptedException {
    try {
      return task.get();
    } catch (ExecutionException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aGroupIsRefusedInAStepBeforeAnyOfItsMethodsIsCalled() {
    String runId =
        fixture.run((ctx, in) ->
            ctx.step(
                "outer",
                String.class,
                () -> {
                  try {
                    return "made " + ctx.steps(Warehouse.class, Warehouse.of(sent));
                  } catch (IllegalStateException e) {
                    return "refused";
                  }
                }));

    assertThat(fixture.view(runId).getOutput().getJson()).isEqualTo("\"refused\"");
  }

  @Test
  void twoMethodsOfOneNameAreRefusedWhenTheGroupIsMade() {
    String runId =
        fixture.run((ctx, in) -> {
          ctx.steps(
              Overloaded.class,
              new Overloaded() {
                @Override
                public void send(String text) {}

                @Override
                public void send(int number) {}
              });
          return in;
        });

    assertThat(fixture.view(runId).getStatus()).isEqualTo(WORKFLOW_STATUS_FAILED);
    assertThat(fixture.view(runId).getError().getMessage())
        .contains("Overloaded has two methods 'send'")
        .contains("rename one");
  }

  @Test
  void whatCannotBeAGroupIsRefused() {
    StepGroup.Steps none = (name, type, fn, arguments) -> null;

    assertThatIllegalArgumentException()
        .isThrownBy(() -> StepGroup.of(String.class, "text", none))
        .withMessageContaining("java.lang.String is no interface");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> StepGroup.of(LoadsText.class, () -> "text", none))
        .withMessageContaining("LoadsText.load returns T");
  }

  @Test
  void aMethodThatIsDeclaredAgainWithItsTypeIsOneStep() {
    StepGroup.Steps types = (name, type, fn, arguments) -> name + " " + type.getTypeName();

    Loads<String> steps = StepGroup.of(LoadsTextAgain.class, () -> "text", types);

    assertThat(steps.load()).isEqualTo("load java.lang.String");
  }
}
