package dev.kagzi.cli.init;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The files of a new project. Immutable.
 *
 * @param project what it is called
 * @param version the version of Kagzi that it uses
 */
record Skeleton(ProjectName project, String version) {

  /** Every file by its path, with its text. */
  Map<String, String> files() {
    var folder = project.packageName() + "/" + project.className();
    var files = new LinkedHashMap<String, String>();
    files.put("pom.xml", filled("pom.xml"));
    files.put("src/main/java/" + folder + ".java", filled("Workflow.java"));
    files.put("src/main/resources/logback.xml", filled("logback.xml"));
    files.put("src/test/java/" + folder + "Test.java", filled("WorkflowTest.java"));
    files.put("README.md", filled("README.md"));
    files.put(".gitignore", filled("gitignore"));
    return files;
  }

  private String filled(String template) {
    return text(template)
        .replace("@NAME@", project.name())
        .replace("@PACKAGE@", project.packageName())
        .replace("@CLASS@", project.className())
        .replace("@VERSION@", version);
  }

  private static String text(String template) {
    try (var stream = Skeleton.class.getResourceAsStream(template + ".template")) {
      if (stream == null) {
        throw new IllegalStateException("This program lacks its own file " + template);
      }
      return new String(stream.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read " + template, e);
    }
  }

  void writeTo(Path folder) throws IOException {
    for (var file : files().entrySet()) {
      var path = folder.resolve(file.getKey());
      Files.createDirectories(path.getParent());
      Files.writeString(path, file.getValue());
    }
  }
}
