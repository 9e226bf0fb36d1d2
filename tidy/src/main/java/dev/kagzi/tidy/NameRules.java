package dev.kagzi.tidy;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
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
    return declaredTypes(file).stream().filter(name -> FORBIDDEN.matcher(name).matches()).toList();
  }

  private static List<String> declaredTypes(SourceFile file) {
    var names = new ArrayList<String>();
    new TypeScanner().scan(parse(file), names);
    return names;
  }

  private static Iterable<? extends CompilationUnitTree> parse(SourceFile file) {
    var javac = ToolProvider.getSystemJavaCompiler();
    // Syntax errors are the compiler's business: swallow them here and read what can be read.
    var task =
        (JavacTask)
            javac.getTask(null, null, problem -> {}, null, null, List.of(new InMemory(file)));
    try {
      return task.parse();
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot parse " + file.path(), e);
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
      super(URI.create("memory:///" + file.name()), JavaFileObject.Kind.SOURCE);
      this.file = file;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return file.text();
    }
  }
}
