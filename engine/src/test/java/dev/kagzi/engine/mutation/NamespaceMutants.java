package dev.kagzi.engine.mutation;

import java.util.stream.Stream;

/** Of namespaces: each place that keeps them apart (promise 7). */
final class NamespaceMutants {

  private static final String NAMESPACES = "NamespacesTest";

  private NamespaceMutants() {}

  static Stream<Mutant> all() {
    return Stream.of(
        Mutant.of("namespace-claim", 7, "the namespace in the claim")
            .edit(
                "store/ClaimStore",
                "WHERE namespace_id = :namespace\n            AND task_queue",
                "WHERE task_queue")
            .noticedBy(NAMESPACES, "handOutOnlyTheirOwnRuns"),
        Mutant.of("namespace-end", 7, "the namespace in the end of a run")
            .edit("store/FinishStore", "AND r.namespace_id = e.end_namespace", "")
            .noticedBy(NAMESPACES, "cannotCancelEachOthersRuns"),
        Mutant.of("namespace-get", 7, "the namespace in the look at a run")
            .edit(
                "store/RunStore",
                "\" AND namespace_id = :namespace\"",
                "\" AND :namespace::text IS NOT NULL\"")
            .noticedBy("ThinPathTest", "hidesRunsOfOtherNamespaces"),
        Mutant.of("namespace-fence", 7, "the namespace in the fence")
            .edit("domain/LiveRun", "\n        && target.namespace().equals(fence.namespace())", "")
            .noticedBy("ThinPathTest", "hidesRunsOfOtherNamespaces"),
        Mutant.of("namespace-repeat", 7, "the namespace in the answer to a repetition")
            .edit(
                "commit/HeldRuns",
                "(run != null && run.target().namespace().equals(fence.namespace()))",
                "run != null")
            .edit(
                "commit/HeldRuns",
                "(end != null && end.namespace().equals(fence.namespace()))",
                "end != null")
            .noticedBy(NAMESPACES, "learnNothingFromRepeatingTheOthersCalls"),
        Mutant.of("namespace-external-id", 7, "the namespace in the look for an external id")
            .edit(
                "store/RunStore",
                "WHERE namespace_id = :namespace AND external_id = :externalId",
                "WHERE external_id = :externalId AND :namespace::text IS NOT NULL")
            .noticedBy(NAMESPACES, "keepExternalIdsApart"),
        Mutant.of("namespace-reuse", 7, "the namespace in the reuse policy's look")
            .edit(
                "store/StartStore",
                "WHERE namespace_id = a.namespace_id AND external_id",
                "WHERE external_id")
            .edit(
                "commit/Command",
                "return namespace + '\\n' + externalId;",
                "return String.valueOf(externalId);")
            .noticedBy(NAMESPACES, "lookBackAtTheirOwnRunsOnly"),
        Mutant.of("namespace-request-id", 7, "the namespace in the answer to a known request id")
            .edit(
                "commit/StartWriter",
                "same.target().namespace().equals(asked.request().namespace())",
                "true")
            .noticedBy(NAMESPACES, "doNotAnswerForARequestIdOfTheOther"),
        Mutant.of("namespace-event", 7, "the namespace in the sending of events")
            .edit(
                "commit/EventWriter",
                "run == null || !run.target().namespace().equals(command.namespace())",
                "run == null")
            .noticedBy(NAMESPACES, "cannotSendEachOthersRunsAnything"),
        Mutant.of("namespace-retry", 7, "the namespace in RetryWorkflow")
            .edit(
                "operation/Retries",
                "if (!run.target().namespace().equals(namespace)) {",
                "if (run.target().namespace().isEmpty()) {")
            .noticedBy("operation.RetriesTest", "seeNoOtherNamespace"),
        Mutant.of("page-token", 7, "the authentication of page tokens")
            .edit(
                "operation/PageTokens",
                "MessageDigest.isEqual(code, code(plain, namespace, filter))",
                "code.length == CODE_BYTES")
            .noticedBy(
                "operation.RunListsTest", "refusesTokensThatWereForgedOrBelongToAnotherList"),
        Mutant.of("page-token-namespace", 7, "the namespace in a page token's code")
            .edit(
                "operation/PageTokens",
                "mac.update(namespace.getBytes(StandardCharsets.UTF_8));",
                "")
            .noticedBy(
                "operation.RunListsTest", "refusesTokensThatWereForgedOrBelongToAnotherList"));
  }
}
