package dev.kagzi.tidy;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/** What no type may be called, because a better noun exists. Stateless and thread-safe. */
public final class NameRules {
  private static final Pattern FORBIDDEN =
      Pattern.compile("Abstract.*|.*(Manager|Helper|Utils?|Impl|Data|Info|Base)");

  private NameRules() {}

  /** The types declared in the file, at any depth, whose names are forbidden. */
  public static List<String> forbiddenTypeNames(SourceFile file) {
    return forbiddenTypeNames(List.of(file)).getOrDefault(file, List.of());
  }

  /** The same for many files, of which only those with such types are named. */
  public static Map<SourceFile, List<String>> forbiddenTypeNames(List<SourceFile> files) {
    // The compiler returns its units in the order of their sources.
    var file = files.iterator();
    var found = new LinkedHashMap<SourceFile, List<String>>();
    for (var unit : parse(files)) {
      var source = file.next();
      var names = new ArrayList<String>();
      new TypeScanner().scan(unit, names);
      names.removeIf(name -> !FORBIDDEN.matcher(name).matches());
      if (!names.isEmpty()) {
        found.put(source, names);
      }
    }
    return found;
  }

  /** All at once: a compiler takes much longer to set up than to read a file. */
  private static Iterable<? extends CompilationUnitTree> parse(List<SourceFile> files) {
    var javac = ToolProvider.getSystemJavaCompiler();
    // Syntax errors are the compiler's business: swallow them here and read what can be read.
    var task =
        (JavacTask)
            javac.getTask(
                null, null, problem -> {}, null, null, files.stream().map(InMemory::new).toList());
    try {
      return task.parse();
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot parse " + files.size() + " files", e);
    }
  }

  private static final class TypeScanner extends TreeScanner<@Nullable Void, List<String>> {
    @Override
    public @Nullable Void visitClass(ClassTree type, List<String> names) {
      if (!type.getSimpleName().isEmpty()) {
        names.add(type.getSimpleName().toString());
      }
      return super.visitClass(type, names);
    }
  }

  private static final class InMemory extends SimpleJavaFileObject {
    private final SourceFile file;

    InMemory(SourceFile file) {
      super(file.path().toUri(), JavaFileObject.Kind.SOURCE);
      this.file = file;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return file.text();
    }
  }
}
