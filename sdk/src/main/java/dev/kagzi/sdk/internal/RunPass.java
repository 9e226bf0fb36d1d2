package dev.kagzi.sdk.internal;

import static java.util.Objects.requireNonNull;

import dev.kagzi.core.StepKey;
import dev.kagzi.sdk.ErrorKind;
import dev.kagzi.sdk.KagziException;
import dev.kagzi.sdk.RequestRefusedException;
import dev.kagzi.sdk.StepFailedException;
import dev.kagzi.sdk.WorkflowSuspended;
import dev.kagzi.v1.Divergence;
import dev.kagzi.v1.ErrorDetail;
import dev.kagzi.v1.FailStepRequest;
import dev.kagzi.v1.GetHistoryResponse;
import dev.kagzi.v1.HistoryItem;
import dev.kagzi.v1.StepKind;
import dev.kagzi.v1.StopRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One pass over the body of a workflow: what a run needs between its claim and the moment it leaves
 * the worker. A pass that has ended stays ended: every later call into it throws again, so that
 * {@code finally} blocks of a suspended workflow do nothing.
 *
 * <p>Belongs to the thread that made it, except where a method says otherwise.
 */
final class RunPass {

  private static final Logger LOG = LoggerFactory.getLogger(RunPass.class);

  private final Thread thread = Thread.currentThread();
  private final ClaimedRun claim;
  private final RunCalls calls;
  private final RunAnswers answers;
  private final RecordedHistory history = new RecordedHistory();
  private final StepKeys keys = new StepKeys();
  private final Map<Thread, String> runningSteps = new ConcurrentHashMap<>();
  private final Map<String, ErrorDetail> failedSteps = new ConcurrentHashMap<>();
  private final List<String> notUndone = new ArrayList<>();
  private int seq;
  private int looks;
  private int sagas;
  private int undoing;
  private boolean undone;
  private @Nullable PassEnd end;
  private @Nullable String unreadable;

  private @Nullable Heir heir;

  RunPass(ClaimedRun claim, RunCalls calls) {
    this.claim = claim;
    this.calls = calls;
    this.answers = new RunAnswers(claim);
  }

  /** From now on the thread of the pass may be left behind in a step: somebody would go on. */
  void setHeir(Heir whoGoesOn) {
    heir = whoGoesOn;
  }

  /**
   * Whether the workflow's thread may execute a step itself. Not while a saga is undone, which
   * nothing may disturb.
   */
  boolean mayExecuteSteps() {
    return heir != null && undoing == 0;
  }

  /** The thread is left behind in a step. Called from another one. */
  void handOn(Optional<Supplier<FailStepRequest>> lastWords) {
    requireNonNull(heir).goOn(lastWords);
  }

  ClaimedRun claim() {
    return claim;
  }

  /** Reads what the run has done before; the first page came with the claim. */
  void readHistory() {
    history.add(claim.task().getHistoryList());
    String token = claim.task().getHistoryNextPageToken();
    while (!token.isEmpty()) {
      token = readPage(token);
    }
  }

  /** The same when the run has gone on since its claim. */
  void readHistoryAnew() {
    String token = readPage("");
    while (!token.isEmpty()) {
      token = readPage(token);
    }
  }

  /** Reads a page and returns the token of the next. */
  private String readPage(String token) {
    var page = page(token);
    history.add(page.getItemsList());
    return page.getNextPageToken();
  }

  private GetHistoryResponse page(String token) {
    try {
      return call(WorkerRpc.GET_HISTORY, claim.requests().getHistory().setPageToken(token).build());
    } catch (CallFailedException refusal) {
      // Nothing is wrong with the run, so it must not fail for this.
      throw endWith(answers.stopped(refusal));
    }
  }

  /** Numbers a step that the workflow asks for and looks it up. */
  StepCall ask(StepKind kind, StepKey key) {
    return askFor(kind, reserve(key));
  }

  /** Numbers a step that the workflow may ask for later. */
  StepKey reserve(StepKey key) {
    requireWorkflowThread();
    requireOpen();
    return keys.next(key);
  }

  /**
   * Looks up a step that was numbered before. A run that was asked to stop replays what it has
   * done, so that it registers again what is to be undone, and stops at the first new thing.
   */
  StepCall askFor(StepKind kind, StepKey numbered) {
    return askFor(kind, numbered, false);
  }

  /**
   * The same as {@link #ask} for what does not hold the workflow up where it asks: that it is not
   * settled does not mean that the run has not been further, in a step that nobody has recorded. A
   * run that is to stop goes past it, to what it has to undo.
   */
  StepCall askInPassing(StepKind kind, StepKey key) {
    return askFor(kind, reserve(key), true);
  }

  private StepCall askFor(StepKind kind, StepKey numbered, boolean inPassing) {
    requireWorkflowThread();
    requireOpen();
    HistoryItem recorded = history.ask(numbered);
    boolean otherKind = recorded != null && recorded.getKind() != kind;
    boolean settled = recorded != null && recorded.getSettled() && !otherKind;
    if (!settled && !(inPassing && !otherKind && isToStop())) {
      requireGoingOn();
    }
    if (recorded != null && otherKind) {
      throw endWith(new PassEnd.Diverged(Divergences.otherKind(recorded, kind)));
    }
    seq++;
    if (recorded == null && kind != StepKind.STEP_KIND_MARKER && undoing == 0) {
      requireRoom(numbered.value());
    }
    return new StepCall(numbered, kind, seq, recorded, null);
  }

  /** Throws the same in every replay, because the place of a step is the same. */
  private void requireRoom(String stepKey) {
    StepLimits limits = claim.terms().stepLimits();
    if (seq == limits.warn()) {
      LOG.warn(
          "Run {} of {} has {} steps and may have {}: continue it as a new run before"
              + " (ctx.continueAs)",
          claim.runId(),
          claim.type(),
          seq,
          limits.most());
    }
    if (seq > limits.most()) {
      ErrorDetail error = limits.exceededBy(claim.runId());
      noteFailure(stepKey, error);
      throw new StepFailedException(
          stepKey, 0, ErrorKind.LIMIT_EXCEEDED, error.getType(), List.of(), error.getMessage());
    }
  }

  /** How many steps the workflow has asked for: the same whenever a replay comes here. */
  int place() {
    return seq;
  }

  /** The workflow is about to learn what became of a branch. */
  void look() {
    requireWorkflowThread();
    looks++;
  }

  /** How often it has: the same whenever a replay comes here. */
  int looks() {
    return looks;
  }

  /** Throws unless the calling thread is the workflow's own. */
  void requireWorkflowThread() {
    Thread caller = Thread.currentThread();
    String step = runningSteps.get(caller);
    if (caller.equals(thread) && step == null) {
      return;
    }
    throw new IllegalStateException(
        step == null
            ? "The context was used on thread '%s' in run %s (expected: the workflow's own thread)"
                .formatted(caller.getName(), claim.runId())
            : ("The context was used inside step '%s' of run %s (expected: steps follow each other,"
                    + " or are begun with async outside of each other)")
                .formatted(step, claim.runId()));
  }

  /** Throws if the pass has ended or must end: its run was stopped or its lease is in doubt. */
  void requireOpen() {
    PassEnd known = end;
    if (known != null && !(known instanceof PassEnd.Stopping && undoing > 0)) {
      throw new WorkflowSuspended(known.why());
    }
    HeldRun held = claim.held();
    if (held.stopReason() == null && held.trustedUntil().hasPassed()) {
      held.stop("no heartbeat was accepted in time");
    }
    String stopped = held.stopReason();
    if (stopped != null) {
      throw endWith(new PassEnd.Stopped(stopped));
    }
  }

  /** Throws also if the run was asked to stop, unless it is busy undoing its work. */
  void requireGoingOn() {
    requireOpen();
    StopRequest request = claim.held().stopRequest();
    if (request != null && undoing == 0) {
      throw endWith(new PassEnd.Stopping(request));
    }
  }

  /** Whether the run was asked to stop, and is not busy undoing its work. */
  boolean isToStop() {
    return claim.held().stopRequest() != null && undoing == 0;
  }

  /** Throws if the run leaves this worker without having to undo anything. */
  void requireNotGone() {
    if (!(end instanceof PassEnd.Stopping)) {
      requireOpen();
    }
  }

  /** Whether the run is not this worker's any more, so that nothing is to be waited for. */
  boolean mustLeave() {
    return claim.held().stopReason() != null || claim.held().stopRequest() == null;
  }

  /** The body of a saga begins. */
  void enterSaga() {
    sagas++;
  }

  /** What {@link #enterSaga} began is over, done or undone. */
  void leaveSaga() {
    sagas--;
  }

  boolean isInsideSaga() {
    return sagas > 0;
  }

  /** From now on steps undo what was done. */
  void beginUndoing() {
    undone = true;
    shield();
  }

  /** What follows must be done to its end: neither requests to stop nor strangers disturb it. */
  void shield() {
    undoing++;
    claim.held().shield();
  }

  /** Ends what {@link #beginUndoing} or {@link #shield} began. */
  void unshield() {
    undoing--;
    claim.held().unshield();
  }

  /** Whether a saga has undone its work, so that the run must not begin anew. */
  boolean hasUndone() {
    return undone;
  }

  /** Something could not be undone. */
  void noteNotUndone(String stepKey) {
    notUndone.add(stepKey);
  }

  /** The steps that failed to undo something. */
  List<String> notUndone() {
    return notUndone;
  }

  /**
   * What was recorded and never asked for, now that the body has ended.
   *
   * @param ending how it ended, in words
   */
  Optional<Divergence> divergence(String ending) {
    return history.firstUnasked().map(item -> Divergences.unasked(item, ending));
  }

  /**
   * What was recorded and not asked for at the place that the code has come to, when it was asked
   * to stop there; what was recorded later it may not have come to any more.
   */
  Optional<Divergence> passedBy() {
    return history
        .firstUnasked()
        .filter(item -> item.getSeq() <= seq + 1)
        .map(item -> Divergences.unasked(item, "stopped"));
  }

  /** What was recorded before the place that the code has come to, and not asked for. */
  Optional<Divergence> leftOut() {
    return history
        .firstUnasked()
        .filter(item -> item.getSeq() <= seq)
        .map(item -> Divergences.unasked(item, "went on"));
  }

  /** Ends the pass if something was recorded and not asked for; not after a request to stop. */
  void requireNoDivergence(String ending) {
    Optional<Divergence> found = divergence(ending);
    if (claim.held().stopRequest() == null && found.isPresent()) {
      throw endWith(new PassEnd.Diverged(found.get()));
    }
  }

  /**
   * Whether the run came past this place before its marker was in the code: the marker is not
   * recorded, and something is that the code has not asked for yet.
   */
  boolean isPastWithout(StepKey marker) {
    requireWorkflowThread();
    requireOpen();
    return history.peek(marker) == null && history.isAhead();
  }

  /** Whether anything is known about a step from before. */
  boolean isRecorded(StepKey key) {
    return history.contains(key);
  }

  /**
   * Makes a call about the run. Ends the pass when the run is not this worker's any more or the
   * server cannot be made to answer.
   *
   * @throws CallFailedException if the server refuses the request for what it says
   */
  <Q, R> R call(WorkerRpc<Q, R> rpc, Q request) {
    try {
      R response = callToItsEnd(rpc, request);
      answers.heed(response);
      return response;
    } catch (InterruptedException e) {
      throw interrupted();
    } catch (CallFailedException failure) {
      PassEnd byFailure = answers.endBy(failure);
      if (byFailure == null) {
        throw failure;
      }
      throw endWith(byFailure);
    }
  }

  /** A call is safe to repeat, and one that is shielded is not given up for a stranger. */
  private <Q, R> R callToItsEnd(WorkerRpc<Q, R> rpc, Q request) throws InterruptedException {
    while (true) {
      try {
        return calls.call(rpc, request);
      } catch (InterruptedException e) {
        if (undoing == 0 || claim.held().stopReason() != null) {
          throw e;
        }
      }
    }
  }

  /** Makes a call about the run from another thread than the workflow's. */
  <Q, R> R callBeside(WorkerRpc<Q, R> rpc, Q request) throws InterruptedException {
    R response = calls.call(rpc, request);
    answers.heed(response);
    return response;
  }

  /** Hears from an answer that the run is asked to stop. May be called from any thread. */
  void heed(Object response) {
    answers.heed(response);
  }

  /** How the pass ends by a failed call; {@code null} if it is refused for what it says. */
  @Nullable PassEnd endBy(CallFailedException failure) {
    return answers.endBy(failure);
  }

  /** Makes a call about a step whose refusal is for the workflow to know. */
  <Q, R> R call(WorkerRpc<Q, R> rpc, Q request, StepCall step) {
    try {
      return call(rpc, request);
    } catch (CallFailedException refusal) {
      throw new RequestRefusedException(
          refusal.reason(), "'%s': %s".formatted(step.key(), refusal.getMessage()), refusal);
    }
  }

  /** What to throw when the workflow's thread was interrupted while it waited. */
  WorkflowSuspended interrupted() {
    String reason = claim.held().stopReason();
    if (reason != null) {
      return endWith(new PassEnd.Stopped(reason));
    }
    StopRequest request = claim.held().stopRequest();
    if (request != null && isToStop()) {
      return endWith(new PassEnd.Stopping(request));
    }
    throw new KagziException(
        "The workflow's thread was interrupted, and not by Kagzi (expected: nobody does that)");
  }

  /** Ends the pass; throw what is returned. */
  WorkflowSuspended endWith(PassEnd how) {
    end = how;
    return new WorkflowSuspended(how.why());
  }

  /** How the pass has ended, or {@code null} if the body may go on. */
  @Nullable PassEnd end() {
    return end;
  }

  /** Remembers how a step failed, in case that ends the run. May be called from any thread. */
  void noteFailure(String stepKey, ErrorDetail error) {
    failedSteps.put(stepKey, error);
  }

  /** How a step failed, if it did. */
  @Nullable ErrorDetail failureOf(String stepKey) {
    return failedSteps.get(stepKey);
  }

  /** A recorded result cannot be read as what the code asks for. */
  void noteUnreadable(String message) {
    unreadable = unreadable == null ? message : unreadable;
  }

  /** The first recorded result that could not be read, in words. */
  @Nullable String unreadable() {
    return unreadable;
  }

  /** The calling thread begins to execute a step. */
  void stepBegins(String stepKey) {
    runningSteps.put(Thread.currentThread(), stepKey);
  }

  /** The calling thread has left its step. */
  void stepEnds() {
    runningSteps.remove(Thread.currentThread());
  }

  /** The step that the calling thread executes, if it executes one. May be called anywhere. */
  @Nullable String stepOfThisThread() {
    return runningSteps.get(Thread.currentThread());
  }

  /** Whether recorded results are still being replayed. May be called anywhere. */
  boolean isReplaying() {
    return history.isReplaying();
  }
}
