package dev.kagzi.sdk.internal;

import dev.kagzi.sdk.payload.PayloadCodec;

/**
 * What all runs of a worker share when they execute steps.
 *
 * @param codec how values become bytes
 * @param threads what steps run on
 * @param announcer tells the server about long steps
 */
record WorkerTools(PayloadCodec codec, StepThreads threads, StepAnnouncer announcer) {}
