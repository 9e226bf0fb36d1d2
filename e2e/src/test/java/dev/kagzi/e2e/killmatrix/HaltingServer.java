package dev.kagzi.e2e.killmatrix;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.zaxxer.hikari.HikariDataSource;
import dev.kagzi.engine.Engine;
import dev.kagzi.faults.Fault;
import dev.kagzi.faults.Fault.Action;
import dev.kagzi.faults.FaultyDataSource.Moment;
import dev.kagzi.faults.OneFault;
import dev.kagzi.faults.PlannedFaults;
import dev.kagzi.server.grpc.GrpcServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * A server process that halts when it executes a certain statement: at once if it is armed, else
 * after a line on its standard input. Whoever started it ends it by closing that.
 */
final class HaltingServer {

  private HaltingServer() {}

  /** Arguments: the database, the moment, whether it is armed, and the parts of the statement. */
  public static void main(String[] arguments) throws IOException {
    var fault = new Fault(Moment.valueOf(arguments[1]), Action.HALT);
    var plan = new OneFault(List.of(arguments).subList(3, arguments.length), fault);
    if (Boolean.parseBoolean(arguments[2])) {
      plan.arm();
    }
    HikariDataSource pool = Station.pool(arguments[0]);
    var faults = new PlannedFaults(pool, plan);
    Engine engine = Engine.start(faults.dataSource(), Station.config());
    GrpcServer grpc =
        GrpcServer.listen(engine, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    System.out.println(grpc.port());
    var orders = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    while (orders.readLine() != null) {
      plan.arm();
      System.out.println("armed");
    }
    Runtime.getRuntime().halt(0);
  }
}
