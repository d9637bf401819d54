/**
 * The `errand` command. Each command's module is loaded when it is called, so that `--help` loads
 * nothing. Every error ends here, as a report with an exit code.
 */
import { CommanderError } from 'commander';
import { mayBeHeld, noteEnd } from './guard/command-end.ts';
import { createProgram, typedCommand } from './program/program.ts';
import { processTerminal } from './terminal.ts';

const cli = createProgram(processTerminal(), process.argv[2]);

try {
  await cli.program.parseAsync(typedCommand(cli.program, process.argv));
} catch (error) {
  const isHelp = error instanceof CommanderError && error.exitCode === 0;
  // help loads nothing more, so that it is quick
  if (!isHelp) {
    const { refuse, refuseTyped } = await import('./exit.ts');
    process.exitCode =
      error instanceof CommanderError
        ? refuseTyped(error.message, process.argv, cli.terminal)
        : refuse(error, cli.output, cli.terminal);
  }
}
noteEnd(Number(process.exitCode ?? 0));
await cli.endTelemetry?.();
if (mayBeHeld()) {
  await cli.terminal.drained();
  process.exit();
}
