/**
 * The `errand` command. Each command's module is loaded when it is called, so that `--help` loads
 * nothing. Whatever goes wrong ends here, as a report with an exit code.
 */
import { oneLine } from '../errors/printable.ts';
import { Command, CommanderError } from 'commander';
import { PLAINLY, tellingOf } from './format.ts';
import { refuseGoneFolder, refuseTwoForms, type CliContext } from './program/context.ts';
import { addFileCommands } from './program/files.ts';
import { addLegCommands } from './program/legs.ts';
import { addLookingCommands } from './program/looking.ts';
import { addRemovingCommands } from './program/removing.ts';
import { addWhereOptions, addWorkerCommand } from './program/worker.ts';
import { processTerminal } from './terminal.ts';
import { VERSION } from './version.ts';

const terminal = processTerminal();
const program = new Command('errand')
  .description('A workflow engine for LLM agents that is built around failure.')
  .version(VERSION, '-V, --version', 'print the version')
  .helpOption('-h, --help', 'print help')
  .showSuggestionAfterError(true)
  .showHelpAfterError('Try: errand --help')
  .exitOverride()
  .configureOutput({
    writeOut: (text) => terminal.out(text.replace(/\n$/, '')),
    writeErr: (text) => terminal.err(text.replace(/\n$/, '')),
    outputError: (text, write) => write(typedOnOneLine(text).replace(/^error: /, 'errand: ')),
  })
  .addHelpText(
    'after',
    `
Examples:
  errand init                            write a first workflow that runs
  errand run workflow.yaml -i ticket=Hi  run it
  errand explain RUN                     what failed in it, and what came of it
  errand explain provider.rate_limited   what a failure means, and what to do
  errand run --help                      its options, and all exit codes`,
  );

const cli: CliContext = { program, terminal, telling: PLAINLY };
program.hook('preAction', async (_program, command) => {
  cli.telling = tellingOf(command.opts());
  await refuseTwoForms(command);
  await refuseGoneFolder();
});
addWhereOptions(cli);
addLegCommands(cli);
addLookingCommands(cli);
addRemovingCommands(cli);
addWorkerCommand(cli);
addFileCommands(cli);
program.addHelpCommand(
  new Command('help').argument('[command]').summary('print help').helpGroup('Set up and test:'),
);

for (const command of program.commands)
  command.showHelpAfterError(`Try: errand ${command.name()} --help`);

try {
  await program.parseAsync();
} catch (error) {
  const isHelp = error instanceof CommanderError && error.exitCode === 0;
  // whoever only asks for help waits for nothing more to be loaded
  if (!isHelp) {
    const { refuse, refuseTyped } = await import('./exit.ts');
    process.exitCode =
      error instanceof CommanderError
        ? refuseTyped(error.message, process.argv, cli.terminal)
        : refuse(error, cli.telling, cli.terminal);
  }
}

/** What was typed is repeated in what is said about it, and may hold lines of its own. */
function typedOnOneLine(text: string): string {
  return process.argv
    .slice(2)
    .filter((word) => word.includes('\n'))
    .reduce((rest, word) => rest.replaceAll(word, () => oneLine(word)), text);
}
