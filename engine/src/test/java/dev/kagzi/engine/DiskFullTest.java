package dev.kagzi.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.Health;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * A disk that has no room for anything new, while what fits into pages that are there still works:
 * the database is made to say so, because a test cannot fill the disk that others use.
 */
class DiskFullTest {

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private static void fill(TestEngine kagzi) {
    kagzi.execute(
        """
        CREATE FUNCTION kagzi.no_room() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE 'could not extend file' USING ERRCODE = '53100'; END $$;
        CREATE FUNCTION kagzi.no_room_for_tables() RETURNS event_trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE 'could not extend file' USING ERRCODE = '53100'; END $$;
        CREATE TRIGGER full_disk BEFORE INSERT ON kagzi.workflow_runs
          FOR EACH ROW EXECUTE FUNCTION kagzi.no_room();
        CREATE EVENT TRIGGER full_disk ON ddl_command_start WHEN TAG IN ('CREATE TABLE')
          EXECUTE FUNCTION kagzi.no_room_for_tables();
        """);
  }

  private static Health database(TestEngine kagzi) {
    return kagzi.engine().checkUp().stream()
        .filter(part -> part.name().equals("database"))
        .findFirst()
        .orElseThrow()
        .health();
  }

  @Test
  void isNoticedAndForgottenAsSoonAsThereIsRoomForSomethingNew() {
    try (TestEngine kagzi = TestEngine.start()) {
      kagzi.startRun();
      assertThat(kagzi.engine().isDatabaseFull()).isFalse();
      fill(kagzi);

      EngineException refusal = catchThrowableOfType(EngineException.class, kagzi::startRun);
      assertThat(refusal.code()).isEqualTo(ErrorCode.DATABASE_FULL);
      assertThat(kagzi.engine().isDatabaseFull()).isTrue();
      assertThat(database(kagzi)).isEqualTo(Health.UNHEALTHY);

      kagzi.execute("DROP TRIGGER full_disk ON kagzi.workflow_runs");
      Duration twoBeats = EngineConfig.defaults().intervals().nodeBeat().multipliedBy(2);
      await()
          .during(twoBeats.plusMillis(500))
          .atMost(PATIENCE)
          .until(() -> kagzi.engine().isDatabaseFull() && kagzi.engine().isDatabaseUp());

      kagzi.execute("DROP EVENT TRIGGER full_disk");
      await().atMost(PATIENCE).until(() -> !kagzi.engine().isDatabaseFull());
      assertThat(database(kagzi)).isEqualTo(Health.HEALTHY);
      kagzi.startRun();
    }
  }
}
