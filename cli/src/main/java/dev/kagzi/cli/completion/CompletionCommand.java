package dev.kagzi.cli.completion;

import dev.kagzi.cli.shell.ExitCode;
import dev.kagzi.cli.shell.Session;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Prints a script that makes a shell complete commands and flags. */
@Command(
    name = "completion",
    description = "Prints a script that makes your shell complete commands and flags.",
    footer = "Example: kagzi completion bash")
public final class CompletionCommand implements Callable<Integer> {
  /** The shells that there is a script for. */
  enum Shell {
    BASH,
    ZSH,
    FISH,
    POWERSHELL
  }

  private final Session session;
  private final Supplier<CommandLine> whole;

  @Parameters(paramLabel = "SHELL", description = "bash, zsh, fish or powershell.")
  @SuppressWarnings("NullAway.Init") // picocli sets it before anything is called
  private Shell shell;

  /**
   * Makes the command.
   *
   * @param whole the command with all that there is below it
   */
  public CompletionCommand(Session session, Supplier<CommandLine> whole) {
    this.session = session;
    this.whole = whole;
  }

  @Override
  public Integer call() {
    session.out().print(script());
    return ExitCode.OK.number();
  }

  private String script() {
    var root = CommandTree.inLowerCase(whole.get());
    return switch (shell) {
      // The script looks which of the two it is in.
      case BASH, ZSH -> AutoComplete.bash("kagzi", root);
      case FISH -> FishScript.of(CommandTree.of(root));
      case POWERSHELL -> PowerShellScript.of(CommandTree.of(root));
    };
  }
}
