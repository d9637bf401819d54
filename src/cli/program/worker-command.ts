/** `errand worker`, and the options for the location of runs, which every command about runs takes. */
import { Help, Option, type Command } from 'commander';
import { setRunLocationFlags, type RunLocationFlags } from '../project/run-location-flags.ts';
import {
  examples,
  onlyJsonOption,
  quietOption,
  verboseOption,
  type CliContext,
} from './cli-context.ts';

const GROUP = 'Run workflows:';
const WHERE = 'Where runs are:';

const ON = new Option('--on <where>', 'where runs execute').choices(['local', 'temporal']);
const SERVER = new Option(
  '--server <url>',
  'use the runs of this `errand serve`; or ERRAND_SERVER, and ERRAND_TOKEN for its token',
);
const SERVER_OPTIONS = [
  new Option('--address <host:port>', 'address of the Temporal server; or TEMPORAL_ADDRESS'),
  new Option('--namespace <name>', 'namespace on that server; or TEMPORAL_NAMESPACE'),
  new Option('--task-queue <name>', 'task queue that its workers poll'),
];

const LOCATION_OPTIONS = [ON, SERVER, ...SERVER_OPTIONS];

/** The commands that take these options. A worker always uses a Temporal server. */
const ABOUT_RUNS: readonly string[] = [
  'run',
  'resume',
  'retry',
  'answer',
  'cancel',
  'runs',
  'watch',
  'explain',
  'show',
  'costs',
  'audit',
  'trace',
  'export',
];

/** A Temporal server keeps and removes its own runs, so these work on the store of the project only. */
const STORE_ONLY: readonly string[] = ['import', 'prune', 'delete'];
const SERVES: readonly string[] = ['serve', 'mcp'];

/** Call it before adding commands: each inherits the help configuration. */
export function addRunLocationOptions({ program }: CliContext): void {
  for (const option of LOCATION_OPTIONS) program.addOption(option.helpGroup(WHERE));
  program
    .configureHelp({
      visibleOptions(this: Help, command: Command) {
        return [
          ...Help.prototype.visibleOptions.call(this, command),
          ...runLocationOptions(command),
        ];
      },
    })
    .hook('preAction', async (_program, command) => {
      const flags = program.opts<RunLocationFlags>();
      await refuseUnusedOption(command, flags);
      setRunLocationFlags(flags);
    });
}

export function addWorkerCommand(cli: CliContext): void {
  cli.program
    .command('worker')
    .helpGroup(GROUP)
    .summary('run a Temporal worker')
    .description(
      'Runs the workflows of one task queue of a Temporal server until it is stopped. It uses the workflow files, modules and scripts of the current folder. Ctrl-C lets running effects finish first.',
    )
    .option('--concurrency <number>', 'how many effects run at once', '100')
    .option('--drain <duration>', 'how long running effects may take to finish after a stop', '30s')
    .addOption(onlyJsonOption())
    .addOption(quietOption('print only problems'))
    .addOption(verboseOption())
    .addHelpText(
      'after',
      examples(
        'errand worker',
        'errand worker --address temporal.example:7233 --namespace agents --task-queue triage',
        'errand worker --concurrency 20 --drain 5m',
      ),
    )
    .action(async (flags: { readonly concurrency: string; readonly drain: string }) => {
      const { worker } = await import('../commands/worker.ts');
      process.exitCode = await worker({ ...flags, ...cli.output }, cli.terminal);
    });
}

function runLocationOptions(command: Command): readonly Option[] {
  if (command.name() === 'worker') return SERVER_OPTIONS;
  if (STORE_ONLY.includes(command.name())) return [ON];
  return ABOUT_RUNS.includes(command.name()) ? LOCATION_OPTIONS : [];
}

/** An option without an effect is refused rather than ignored. */
async function refuseUnusedOption(command: Command, flags: RunLocationFlags): Promise<void> {
  const taken = runLocationOptions(command);
  const unused = LOCATION_OPTIONS.find(
    (option) => Object.hasOwn(flags, option.attributeName()) && !taken.includes(option),
  );
  if (unused === undefined) return;
  const name = command.name();
  const { refusal } = await import('../exit.ts');
  throw refusal(
    `errand ${name} does not take ${unused.long ?? ''}`,
    `Leave it out: ${whyUnused(name)}.`,
  );
}

function whyUnused(name: string): string {
  if (name === 'worker') return 'a worker always uses a Temporal server';
  if (STORE_ONLY.includes(name)) return `errand ${name} works on the store of this project`;
  if (SERVES.includes(name)) return `errand ${name} executes the runs of this project itself`;
  return `it says where runs execute, and errand ${name} needs no runs`;
}
