package dev.kagzi.examples;

import dev.kagzi.sdk.Outcome;
import dev.kagzi.sdk.Workflow;
import dev.kagzi.sdk.WorkflowContext;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.client.KagziClient;
import dev.kagzi.sdk.worker.Worker;
import java.util.List;
import java.util.stream.IntStream;

/** Fan-out and fan-in: steps beside each other, and a child workflow for each of many items. */
public final class Thumbnails {

  static final WorkflowType<String, Integer> ALBUM =
      WorkflowType.of("render-album", String.class, Integer.class);

  record Page(String album, int number) {}

  static final WorkflowType<Page, Integer> PAGE =
      WorkflowType.of("render-page", Page.class, Integer.class);

  /** Renders the pictures of a page, at most four at the same time. */
  static final class RenderPage implements Workflow<Page, Integer> {
    @Override
    public Integer run(WorkflowContext ctx, Page page) {
      List<Integer> pictures = IntStream.range(0, 8).boxed().toList();
      List<String> rendered =
          ctx.parallel(
              "render",
              pictures,
              picture -> "picture-" + picture,
              4,
              String.class,
              picture -> page.album() + "/" + page.number() + "/" + picture + ".png");
      return rendered.size();
    }
  }

  /** One child per page, ten at the same time; in its history it is one step. */
  static final class RenderAlbum implements Workflow<String, Integer> {
    @Override
    public Integer run(WorkflowContext ctx, String album) {
      List<Page> pages = IntStream.range(0, 25).mapToObj(n -> new Page(album, n)).toList();
      int pictures = 0;
      for (Outcome<Integer> page : ctx.childMap("pages", pages, PAGE, 10)) {
        pictures +=
            switch (page) {
              case Outcome.Succeeded<Integer> done -> done.value();
              case Outcome.Failed<Integer> failed -> 0;
            };
      }
      return pictures;
    }
  }

  public static void main(String[] args) throws Exception {
    String server = System.getenv().getOrDefault("KAGZI_ADDRESS", "localhost:50051");
    String address = args.length > 0 ? args[0] : server;

    try (Worker worker =
            Worker.builder(address, "pictures")
                .register(ALBUM, new RenderAlbum())
                .register(PAGE, new RenderPage())
                .build();
        KagziClient client = KagziClient.connect(address)) {
      worker.start();
      var run = client.start(ALBUM).queue("pictures").input("summer").send();
      System.out.println("rendered " + run.result() + " pictures");
    }
  }
}
