package dev.kagzi.cli.init;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.cli.Recorded;
import dev.kagzi.cli.ServerAtWork;
import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class InitCommandTest {
  @TempDir Path folder;

  private Recorded kagzi(String... arguments) {
    return Recorded.run(folder, Map.of("HOME", folder.toString()), arguments);
  }

  @Test
  void writesAProjectAndSaysWhatToDoNext() throws IOException {
    var made = kagzi("init", "my-shop", "--kagzi-version", "7.8.9");

    assertThat(made.code()).as(made.err()).isZero();
    assertThat(made.out())
        .startsWith("created ./my-shop with pom.xml, src/main/java/myshop/MyShop.java, ")
        .contains("cd my-shop", "dev -- mvn -q compile exec:exec", "--queue my-shop", "mvn test")
        .contains("Kagzi 7.8.9 is not on Maven Central yet", "-am install");
    var project = folder.resolve("my-shop");
    assertThat(project.resolve("pom.xml"))
        .content()
        .contains("<artifactId>my-shop</artifactId>", "<kagzi.version>7.8.9</kagzi.version>")
        .contains("<argument>myshop.MyShop</argument>")
        // Or it would not build where Maven itself runs on an older Java.
        .contains("<goal>select-jdk-toolchain</goal>", "<executable>java</executable>");
    assertThat(project.resolve("src/test/java/myshop/MyShopTest.java")).exists();
    assertThat(project.resolve("README.md")).content().contains("kagzi dev --", "kagzi run");
    assertThat(project.resolve("src/main/resources/logback.xml"))
        .content()
        .contains("<root level=\"INFO\">");
    try (var files = Files.walk(project)) {
      assertThat(files.filter(Files::isRegularFile))
          .allSatisfy(file -> assertThat(file).content().doesNotContainPattern("@[A-Z]+@"));
    }
  }

  @Test
  void saysNothingAboutInstallingWhatIsInstalled() throws IOException {
    Files.createDirectories(folder.resolve(".m2/repository/dev/kagzi/kagzi-sdk/7.8.9"));

    assertThat(kagzi("init", "hello", "--kagzi-version", "7.8.9").out())
        .doesNotContain("Maven Central");
  }

  @Test
  void overwritesNothing() throws IOException {
    Files.createDirectories(folder.resolve("hello"));
    Files.writeString(folder.resolve("hello/precious"), "mine");

    var refused = kagzi("init", "hello", "--kagzi-version", "7.8.9");

    assertThat(refused.code()).isEqualTo(2);
    assertThat(refused.err()).contains("./hello exists and is not empty");
    assertThat(folder.resolve("hello")).isDirectoryNotContaining("glob:**/pom.xml");
  }

  @ParameterizedTest
  @ValueSource(strings = {"My Shop", "../up", "-x-", "a--b", "é", "7up"})
  void refusesANameThatCannotBeAFolderAndAClass(String name) {
    var refused = kagzi("init", "--kagzi-version", "7.8.9", "--", name);

    assertThat(refused.code()).isEqualTo(2);
    assertThat(refused.err()).contains("NAME: '" + name + "' (expected: a lower-case letter, then");
    assertThat(folder).isEmptyDirectory();
  }

  @ParameterizedTest
  @CsvSource({"hello, Hello, hello", "my-shop, MyShop, myshop", "class, Class, classapp"})
  void makesNamesThatJavaTakes(String name, String className, String packageName) {
    var project = new ProjectName(name);

    assertThat(project.className()).isEqualTo(className);
    assertThat(project.packageName()).isEqualTo(packageName);
  }

  @Test
  void theWorkerOfTheProjectExecutesItsWorkflow() throws Exception {
    var classes = Generated.in(folder, "greeter").compile();
    var server = ServerAtWork.shared();
    var worker =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                classes + File.pathSeparator + System.getProperty("java.class.path"),
                "greeter.Greeter")
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("worker.log").toFile());
    worker.environment().putAll(server.environment());
    var process = worker.start();
    try {
      var run = server.client().start("greet").queue("greeter").input(Map.of("name", "Ada")).send();

      assertThat(run.result(Duration.ofMinutes(3)).as(String.class)).isEqualTo("Hello, Ada!");
      assertThat(folder.resolve("worker.log")).content().contains("Hello, Ada!");
    } finally {
      process.destroyForcibly().waitFor();
    }
  }

  @Test
  void theTestOfTheProjectPasses() throws Exception {
    var classes = Generated.in(folder, "greeter").compile();

    try (var loader = new URLClassLoader(new URL[] {classes.toUri().toURL()})) {
      var type = loader.loadClass("greeter.GreeterTest");
      var constructor = type.getDeclaredConstructor();
      constructor.setAccessible(true);
      var tests = tests(type);

      assertThat(tests).isNotEmpty();
      for (var test : tests) {
        test.setAccessible(true);
        test.invoke(constructor.newInstance());
      }
    }
  }

  private static List<java.lang.reflect.Method> tests(Class<?> type) {
    return Arrays.stream(type.getDeclaredMethods())
        .filter(method -> method.isAnnotationPresent(Test.class))
        .toList();
  }
}
