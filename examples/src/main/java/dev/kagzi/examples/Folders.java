package dev.kagzi.examples;

import dev.kagzi.sdk.StepFuture;
import dev.kagzi.sdk.Workflow;
import dev.kagzi.sdk.WorkflowContext;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.client.KagziClient;
import dev.kagzi.sdk.worker.Worker;
import java.util.ArrayList;
import java.util.List;

/** Recursion: a workflow that starts itself for the parts of its work. */
public final class Folders {

  record Folder(String name, long bytes, List<Folder> folders) {}

  static final WorkflowType<Folder, Long> SIZE =
      WorkflowType.of("folder-size", Folder.class, Long.class);

  static final class FolderSize implements Workflow<Folder, Long> {
    @Override
    public Long run(WorkflowContext ctx, Folder folder) {
      List<StepFuture<Long>> inside = new ArrayList<>();
      for (Folder sub : folder.folders()) {
        inside.add(ctx.child(SIZE).input(sub).start());
      }
      long size = ctx.step("measure", Long.class, folder::bytes);
      return size + ctx.all(inside).stream().mapToLong(Long::longValue).sum();
    }
  }

  public static void main(String[] args) throws Exception {
    String server = System.getenv().getOrDefault("KAGZI_ADDRESS", "localhost:50051");
    String address = args.length > 0 ? args[0] : server;
    Folder photos = new Folder("photos", 700, List.of(new Folder("raw", 5000, List.of())));
    Folder home = new Folder("home", 20, List.of(photos, new Folder("notes", 300, List.of())));

    try (Worker worker =
            Worker.builder(address, "folders").register(SIZE, new FolderSize()).build();
        KagziClient client = KagziClient.connect(address)) {
      worker.start();
      var run = client.start(SIZE).queue("folders").input(home).send();
      System.out.println(home.name() + " has " + run.result() + " bytes");
    }
  }
}
