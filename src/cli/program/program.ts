/** The `errand` program: every command with its arguments and options. It parses nothing yet. */
import { Command } from 'commander';
import { oneLine } from '../../errors/support/printable.ts';
import { DEFAULT_OUTPUT, outputOptionsOf } from '../format.ts';
import type { Terminal } from '../terminal.ts';
import { VERSION } from '../../engine/version.ts';
import { refuseGoneFolder, refuseTwoForms, type CliContext, type Commands } from './cli-context.ts';
import { FILE_COMMANDS } from './file-commands.ts';
import { INSPECT_COMMANDS } from './inspect-commands.ts';
import { addMcpCommand } from './mcp-command.ts';
import { TRANSFER_COMMANDS } from './transfer-commands.ts';
import { addRehearseCommand } from './rehearse-command.ts';
import { REMOVE_COMMANDS } from './remove-commands.ts';
import { RUN_COMMANDS } from './run-commands.ts';
import { addServeCommand } from './serve-command.ts';
import { addRunLocationOptions, addWorkerCommand } from './worker-command.ts';

/** In the order of the help. */
const COMMANDS: Commands = {
  ...RUN_COMMANDS,
  ...INSPECT_COMMANDS,
  ...TRANSFER_COMMANDS,
  ...REMOVE_COMMANDS,
  serve: addServeCommand,
  mcp: addMcpCommand,
  worker: addWorkerCommand,
  ...FILE_COMMANDS,
  rehearse: addRehearseCommand,
};

/** It prints the names and options of the others. */
const KNOWS_ALL = 'completion';

/**
 * @param typed the first argument: a command needs no other command, and making all of them takes
 * longer than running some
 */
export function createProgram(terminal: Terminal, typed?: string): CliContext {
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
  errand explain RUN                     what failed in it, and how it ended
  errand explain provider.rate_limited   what a failure means, and what to do
  errand run --help                      its options, and all exit codes`,
    );

  const cli: CliContext = { program, terminal, output: DEFAULT_OUTPUT };
  program.hook('preAction', async (_program, command) => {
    cli.output = outputOptionsOf(command.opts());
    await refuseTwoForms(command);
    await refuseGoneFolder();
    const { guardProcess } = await import('../guard/guard-process.ts');
    guardProcess(cli);
    if (EXECUTES.has(command.name()) && namesReceiver(process.env)) {
      const { beginTelemetry } = await import('../guard/command-telemetry.ts');
      beginTelemetry(cli, command.name());
    }
  });
  addRunLocationOptions(cli);
  for (const add of commandsFor(typed)) add(cli);
  program.addHelpCommand(
    new Command('help').argument('[command]').summary('print help').helpGroup('Set up and test:'),
  );
  for (const command of program.commands)
    command.showHelpAfterError(`Try: errand ${command.name()} --help`);
  return cli;
}

/**
 * Turns `help WORD` into WORD if no command has that name, so that it is refused as WORD is, with a
 * suggestion.
 */
export function typedCommand(program: Command, argv: readonly string[]): readonly string[] {
  const [node = '', file = '', first, word] = argv;
  const isWord = first === 'help' && word !== undefined && !word.startsWith('-');
  if (!isWord || word === 'help') return argv;
  const isKnown = program.commands.some((command) => command.name() === word);
  return isKnown ? argv : [node, file, word];
}

function commandsFor(typed = ''): readonly Commands[string][] {
  const only = typed === KNOWS_ALL || !Object.hasOwn(COMMANDS, typed) ? undefined : COMMANDS[typed];
  return only === undefined ? Object.values(COMMANDS) : [only];
}

/** The commands that execute runs, and so have spans and metrics. */
const EXECUTES: ReadonlySet<string> = new Set([
  'run',
  'resume',
  'retry',
  'answer',
  'cancel',
  'draft',
  'serve',
  'worker',
  'mcp',
]);

/** Looks at the names alone: most commands never load more of it. */
function namesReceiver(env: NodeJS.ProcessEnv): boolean {
  return Object.keys(env).some((name) => /^OTEL_EXPORTER_OTLP_(?:\w+_)?ENDPOINT$/.test(name));
}

/** Messages quote what was typed, which may contain line breaks. */
function typedOnOneLine(text: string): string {
  return process.argv
    .slice(2)
    .filter((word) => word.includes('\n'))
    .reduce((rest, word) => rest.replaceAll(word, () => oneLine(word)), text);
}
