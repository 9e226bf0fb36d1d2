package dev.kagzi.engine.mutation;

import dev.kagzi.engine.Engine;
import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * The engine and its tests once more, beside those that are running, with some of its sources
 * changed and compiled anew. Everything else is shared, the database server above all.
 */
final class MutantClasses extends URLClassLoader {

  private static final String PACKAGE = "dev.kagzi.engine.";
  private static final String FOLDER = "dev/kagzi/engine/";
  private static final Path CLASSES = locationOf(Engine.class);
  private static final Path TEST_CLASSES = locationOf(MutantClasses.class);
  private static final Path SOURCES =
      CLASSES.resolveSibling("..").resolve("src/main/java").resolve(FOLDER).normalize();

  private MutantClasses(URL[] places) {
    super(places, MutantClasses.class.getClassLoader());
  }

  /** With changes, of which the classes are written to a folder. */
  static MutantClasses of(List<Edit> edits, Path folder) {
    try {
      if (!edits.isEmpty()) {
        compile(edits, folder);
      }
      return new MutantClasses(new URL[] {url(folder), url(CLASSES), url(TEST_CLASSES)});
    } catch (IOException failure) {
      throw new IllegalStateException("a mutant cannot be made", failure);
    }
  }

  private static URL url(Path folder) throws IOException {
    return folder.toUri().toURL();
  }

  private static Path locationOf(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private static void compile(List<Edit> edits, Path folder) throws IOException {
    Map<String, String> changed = new HashMap<>();
    for (Edit edit : edits) {
      String text = changed.get(edit.source());
      changed.put(edit.source(), edit.apply(text == null ? read(edit.source()) : text));
    }
    List<JavaFileObject> sources = new ArrayList<>();
    changed.forEach((source, text) -> sources.add(new Source(source, text)));
    JavaCompiler javac = ToolProvider.getSystemJavaCompiler();
    StringWriter complaints = new StringWriter();
    List<String> options =
        List.of(
            "-d",
            folder.toString(),
            "-cp",
            CLASSES + ":" + System.getProperty("java.class.path"),
            "-proc:none",
            "-nowarn",
            "-implicit:none",
            "-parameters");
    if (!javac.getTask(complaints, null, null, options, null, sources).call()) {
      throw new IllegalStateException("a mutant does not compile: " + complaints);
    }
  }

  private static String read(String source) throws IOException {
    return Files.readString(SOURCES.resolve(source + ".java"));
  }

  /** A file that exists only here. */
  private static final class Source extends SimpleJavaFileObject {
    private final String text;

    Source(String name, String text) {
      super(URI.create("string:///" + FOLDER + name + ".java"), Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (!name.startsWith(PACKAGE)) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      return loaded == null ? findClass(name) : loaded;
    }
  }

  @Override
  public Enumeration<URL> getResources(String name) throws IOException {
    return name.startsWith(FOLDER) ? findResources(name) : super.getResources(name);
  }
}
