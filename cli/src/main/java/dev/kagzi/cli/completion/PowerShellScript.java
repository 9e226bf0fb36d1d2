package dev.kagzi.cli.completion;

import java.util.stream.Collectors;

/** Completion for PowerShell. Stateless. */
final class PowerShellScript {
  private static final String SCRIPT =
      """
      # Completion of kagzi for PowerShell: kagzi completion powershell >> $PROFILE
      Register-ArgumentCompleter -Native -CommandName kagzi -ScriptBlock {
          param($wordToComplete, $commandAst, $cursorPosition)
          $places = @{
      @PLACES@
          }
          $place = ''
          foreach ($element in ($commandAst.CommandElements | Select-Object -Skip 1)) {
              if ($element.Extent.EndOffset -ge $cursorPosition) { break }
              $longer = "$place $element".Trim()
              if ($places.ContainsKey($longer)) { $place = $longer }
          }
          $places[$place] | Where-Object { $_ -like "$wordToComplete*" } | ForEach-Object {
              [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
          }
      }
      """;

  private PowerShellScript() {}

  static String of(CommandTree tree) {
    return SCRIPT.replace(
        "@PLACES@",
        tree.places().entrySet().stream()
            .map(place ->
                "        '%s' = @(%s)"
                    .formatted(
                        place.getKey(),
                        CommandTree.candidates(place.getValue()).stream()
                            .map(candidate -> "'" + candidate + "'")
                            .collect(Collectors.joining(", "))))
            .collect(Collectors.joining("\n")));
  }
}
