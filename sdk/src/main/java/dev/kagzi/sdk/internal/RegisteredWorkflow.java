package dev.kagzi.sdk.internal;

import dev.kagzi.core.Names;
import dev.kagzi.sdk.Workflow;
import dev.kagzi.sdk.WorkflowContext;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/**
 * A workflow that a worker can run.
 *
 * @param type the name that runs are started by
 * @param version the version of the workflow, empty for the unversioned one
 * @param workflow the code
 * @param inputType what the input is read as
 * @param outputType what the output is written as
 */
public record RegisteredWorkflow(
    String type, String version, Workflow<?, ?> workflow, Type inputType, Type outputType) {

  public RegisteredWorkflow {
    Names.check("workflow type", type);
    if (!version.isEmpty()) {
      Names.check("version", version);
    }
    WorkflowSignature.refuseMutableState(workflow.getClass());
  }

  /** Reads input and output from the class of the workflow. */
  public static RegisteredWorkflow of(String type, String version, Workflow<?, ?> workflow) {
    WorkflowSignature signature = WorkflowSignature.of(type, workflow.getClass());
    return new RegisteredWorkflow(type, version, workflow, signature.input(), signature.output());
  }

  @SuppressWarnings("unchecked")
  @Nullable Object run(WorkflowContext ctx, @Nullable Object input) throws Exception {
    return ((Workflow<@Nullable Object, @Nullable Object>) workflow).run(ctx, input);
  }

  /** The workflow for a person: {@code process-order}, or {@code process-order@2}. */
  String label() {
    return version.isEmpty() ? type : type + "@" + version;
  }
}
