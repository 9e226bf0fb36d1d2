package dev.kagzi.sdk.fake;

import dev.kagzi.v1.AdminServiceGrpc;
import dev.kagzi.v1.DrainWorkerRequest;
import dev.kagzi.v1.DrainWorkerResponse;
import dev.kagzi.v1.ListStepsRequest;
import dev.kagzi.v1.ListStepsResponse;
import dev.kagzi.v1.ListWorkersRequest;
import dev.kagzi.v1.ListWorkersResponse;
import dev.kagzi.v1.Step;
import dev.kagzi.v1.Worker;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The operator's side of the fake server, which shows what a test has put there. */
public final class FakeAdminService extends AdminServiceGrpc.AdminServiceImplBase {

  private final FakeCalls calls;
  private final List<Worker> workers = new CopyOnWriteArrayList<>();
  private final List<Step> steps = new CopyOnWriteArrayList<>();

  FakeAdminService(FakeCalls calls) {
    this.calls = calls;
  }

  public void show(Worker worker) {
    workers.add(worker);
  }

  /** Shows a step in every run. */
  public void show(Step step) {
    steps.add(step);
  }

  @Override
  public void listWorkers(ListWorkersRequest request, StreamObserver<ListWorkersResponse> reply) {
    FakeWorkerService.answer(
        reply,
        () -> {
          calls.note(request);
          var page = FakePages.of(workers, request.getPageSize(), request.getPageToken());
          return ListWorkersResponse.newBuilder()
              .addAllWorkers(page.items())
              .setPage(page.info())
              .build();
        });
  }

  @Override
  public void drainWorker(DrainWorkerRequest request, StreamObserver<DrainWorkerResponse> reply) {
    FakeWorkerService.answer(
        reply,
        () -> {
          calls.note(request);
          return DrainWorkerResponse.newBuilder().setWorker(workers.getFirst()).build();
        });
  }

  @Override
  public void listSteps(ListStepsRequest request, StreamObserver<ListStepsResponse> reply) {
    FakeWorkerService.answer(
        reply,
        () -> {
          calls.note(request);
          var page = FakePages.of(steps, request.getPageSize(), request.getPageToken());
          return ListStepsResponse.newBuilder()
              .addAllSteps(page.items())
              .setPage(page.info())
              .build();
        });
  }
}
