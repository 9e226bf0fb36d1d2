package dev.kagzi.sdk.internal;

import dev.kagzi.sdk.payload.PayloadCodec;

/**
 * What all runs of a worker share when they execute steps.
 *
 * @param codec how values become bytes
 * @param threads what steps run on
 * @param announcer tells the server about long steps
 * @param errors how exceptions are recorded
 * @param stuck watches threads that were left behind
 * @param watch looks at steps that the threads of runs execute
 */
record WorkerTools(
    PayloadCodec codec,
    StepThreads threads,
    StepAnnouncer announcer,
    ErrorDetails errors,
    StuckThreads stuck,
    StepWatch watch) {}
