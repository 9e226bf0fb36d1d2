package dev.kagzi.cli.init;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.cli.Recorded;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.tools.ToolProvider;

/** A project that {@code kagzi init} made, compiled against the classes of this build. */
record Generated(Path folder) {

  static Generated in(Path parent, String name) {
    var made =
        Recorded.run(
            parent,
            Map.of("HOME", parent.toString()),
            "init",
            name,
            "--kagzi-version",
            "0.1.0-SNAPSHOT");
    assertThat(made.code()).as(made.err()).isZero();
    return new Generated(parent.resolve(name));
  }

  /** Compiles everything with all warnings, and gives the folder of the classes. */
  Path compile() throws IOException {
    var classes = Files.createDirectories(folder.resolve("target/classes"));
    var line =
        new ArrayList<>(
            List.of("-d", classes.toString(), "-Xlint:all,-processing,-path,-classfile"));
    line.addAll(List.of("-Werror", "-proc:none", "--release", "21"));
    line.addAll(List.of("-cp", System.getProperty("java.class.path")));
    try (var sources = Files.walk(folder.resolve("src"))) {
      sources.map(Path::toString).filter(file -> file.endsWith(".java")).forEach(line::add);
    }
    var compiler = ToolProvider.getSystemJavaCompiler();
    assertThat(compiler.run(null, null, null, line.toArray(String[]::new))).isZero();
    return classes;
  }
}
