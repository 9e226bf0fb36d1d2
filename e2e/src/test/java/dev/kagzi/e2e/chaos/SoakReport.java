package dev.kagzi.e2e.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collector;
import java.util.stream.Collectors;

/** Writes what a soak has shown to a folder: a page with its figures, and a plot beside it. */
record SoakReport(SoakFigures figures, List<String> wrong) {
  private static final Collector<CharSequence, ?, String> COMMAS = Collectors.joining(", ");
  private static final String BARS = "▁▂▃▄▅▆▇█";
  private static final List<Fault> KINDS = List.of(Fault.values());
  private static final int COLUMNS = 72;
  private static final int WIDTH = 1200;
  private static final int HEIGHT = 360;
  private static final int EDGE = 40;
  private static final int POINTS = 180;

  void write(Path folder) throws IOException {
    Files.createDirectories(folder);
    Files.writeString(folder.resolve("report.md"), page());
    Files.writeString(folder.resolve("throughput.svg"), plot());
  }

  String page() {
    Chaos.Outcome outcome = figures.outcome();
    List<Double> failOvers = figures.failOvers();
    List<SoakFigures.Return> judged = figures.peacefulReturns();
    List<SoakFigures.Return> returns = figures.returns();
    return """
    # Chaos soak

    Seed %d, %s of faults. `-Dkagzi.chaos.seed=%d` repeats its programs and faults.

    | figure | value |
    |---|---|
    | runs ended | %d, %d of them completed |
    | runs not ended | %d |
    | faults | %d |
    | refused writes of old leases | %d |
    | broken invariants | %d |
    | runs per second | %s |
    | rate of the last sixth against the first | %s |
    | calls under way or made within 2 s when one of %d servers was killed, p99 of %d | %s s |
    | best 3 s within 10 s of PostgreSQL's return, worst of %d with 3 s free of other faults | %s of the usual rate |
    | the same, worst of all %d, whatever else was wrong | %s of the usual rate |
    | runs of schedules, median time in seconds of six parts | %s |
    | memory of one server and two workers, last third of their lives against the first | %s |
    | ticks fired | %d |
    | looks at what holds always, in peace | %d, %d |

    Faults: %s.

    Runs per second over time: `%s`, and with the faults in [throughput.svg](throughput.svg).

    The three worst returns: %s.

    Wrong: %s
    """
        .formatted(
            outcome.plan().seed(),
            figures.length(),
            outcome.plan().seed(),
            outcome.runs(),
            outcome.completed(),
            outcome.unfinished(),
            outcome.hits().size(),
            outcome.fenced(),
            outcome.violations().size(),
            number(figures.rate()),
            number(figures.rateKept()),
            figures.serverKills().size(),
            failOvers.size(),
            number(SoakFigures.p99(failOvers)),
            judged.size(),
            worst(judged),
            returns.size(),
            worst(returns),
            outcome.seen().waits().stream().map(SoakReport::number).collect(COMMAS),
            number(figures.memoryGrowth()),
            outcome.seen().ticks(),
            outcome.seen().looks(),
            outcome.seen().peaceful(),
            faults(),
            sparkline(figures.rates(COLUMNS)),
            returns.stream().limit(3).map(Object::toString).collect(Collectors.joining("; ")),
            wrong.isEmpty() ? "nothing." : "\n\n- " + String.join("\n- ", wrong));
  }

  private static String worst(List<SoakFigures.Return> sorted) {
    return sorted.isEmpty() ? "-" : number(sorted.getFirst().share());
  }

  private String faults() {
    return Arrays.stream(Fault.values())
        .map(fault -> fault + " " + figures.count(fault))
        .collect(COMMAS);
  }

  static String number(double value) {
    return String.format(Locale.ROOT, "%.2f", value);
  }

  /** One bar per value, the highest for the greatest. */
  static String sparkline(List<Double> values) {
    double most = values.stream().mapToDouble(Double::doubleValue).max().orElse(0);
    return values.stream()
        .map(value -> most == 0 ? 0 : (int) Math.round(value / most * (BARS.length() - 1)))
        .map(height -> String.valueOf(BARS.charAt(height)))
        .collect(Collectors.joining());
  }

  /** The rate as a line, and each fault as a stroke of the colour of its kind. */
  String plot() {
    List<Double> rates = figures.rates(POINTS);
    double most = Math.max(1, rates.stream().mapToDouble(Double::doubleValue).max().orElse(1));
    var svg = new StringBuilder();
    svg.append(
        ("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\""
                + " font-family=\"sans-serif\" font-size=\"11\">%n")
            .formatted(WIDTH, HEIGHT + EDGE));
    svg.append("<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
    for (Adversary.Hit hit : figures.outcome().hits()) {
      double x =
          x(
              (double) (hit.atNanos() - figures.outcome().startedNanos())
                  / figures.length().toNanos());
      svg.append(
          ("<line x1=\"%1$s\" x2=\"%1$s\" y1=\"%2$d\" y2=\"%3$d\" stroke=\"%4$s\""
                  + " stroke-opacity=\"0.5\"/>%n")
              .formatted(number(x), EDGE, HEIGHT, colour(hit.fault())));
    }
    var points = new StringBuilder();
    for (int place = 0; place < rates.size(); place++) {
      double y = HEIGHT - rates.get(place) / most * (HEIGHT - EDGE);
      points
          .append(number(x((place + 0.5) / rates.size())))
          .append(',')
          .append(number(y))
          .append(' ');
    }
    svg.append(
        "<polyline fill=\"none\" stroke=\"black\" stroke-width=\"1.5\" points=\"%s\"/>%n"
            .formatted(points));
    svg.append("<text x=\"4\" y=\"%d\">%s/s</text>%n".formatted(EDGE, number(most)));
    svg.append("<text x=\"4\" y=\"%d\">0</text>%n".formatted(HEIGHT));
    for (int place = 0; place < KINDS.size(); place++) {
      Fault fault = KINDS.get(place);
      svg.append(
          "<text x=\"%d\" y=\"%d\" fill=\"%s\">%s</text>%n"
              .formatted(EDGE + place * 115, HEIGHT + EDGE / 2, colour(fault), fault));
    }
    return svg.append("</svg>\n").toString();
  }

  private static double x(double share) {
    return EDGE + share * (WIDTH - 2 * EDGE);
  }

  private static String colour(Fault fault) {
    return "hsl(%d,80%%,40%%)".formatted(KINDS.indexOf(fault) * 360 / KINDS.size());
  }
}
