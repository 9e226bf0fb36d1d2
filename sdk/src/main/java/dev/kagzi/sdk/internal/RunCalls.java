package dev.kagzi.sdk.internal;

/** Who answers the calls that a pass makes about its run. Thread-safe. */
interface RunCalls {

  /**
   * Makes a call until it is answered.
   *
   * @throws CallFailedException if the answer is a refusal
   */
  <Q, R> R call(WorkerRpc<Q, R> rpc, Q request) throws InterruptedException;

  /** Makes a call once, for what is not worth repeating. */
  <Q, R> R once(WorkerRpc<Q, R> rpc, Q request) throws CallStream.Broken, InterruptedException;
}
