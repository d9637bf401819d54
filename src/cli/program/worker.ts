/** `errand worker`, and the options that say where runs are, which every command about runs takes. */
import { Help, Option, type Command } from 'commander';
import { sayWhere, type WhereFlags } from '../where-flags.ts';
import {
  examples,
  onlyJsonOption,
  quietOption,
  verboseOption,
  type CliContext,
} from './context.ts';

const GROUP = 'Run workflows:';
const WHERE = 'Where runs are:';

const ON = new Option('--on <where>', 'where runs are carried on').choices(['local', 'temporal']);
const PLACE = [
  new Option('--address <host:port>', 'of the Temporal server; or TEMPORAL_ADDRESS'),
  new Option('--namespace <name>', 'on that server; or TEMPORAL_NAMESPACE'),
  new Option('--task-queue <name>', 'that its workers listen to'),
];

/** The commands that these options mean something to. A worker is always of a Temporal server. */
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
];

/** Before any command is added: each takes over how help is made. */
export function addWhereOptions({ program }: CliContext): void {
  for (const option of [ON, ...PLACE]) program.addOption(option.helpGroup(WHERE));
  program
    .configureHelp({
      visibleOptions(this: Help, command: Command) {
        return [...Help.prototype.visibleOptions.call(this, command), ...whereOptions(command)];
      },
    })
    .hook('preAction', async (_program, command) => {
      const said = program.opts<WhereFlags>();
      await refuseUnmeant(command, said);
      sayWhere(said);
    });
}

export function addWorkerCommand(cli: CliContext): void {
  cli.program
    .command('worker')
    .helpGroup(GROUP)
    .summary('run a Temporal worker')
    .description(
      'Carries on the runs of one task queue of a Temporal server, until it is stopped. Workflow files, modules and scripts are those of the current folder. Ctrl-C lets what is under way end first.',
    )
    .option('--concurrency <number>', 'effects at one time', '100')
    .option('--drain <duration>', 'how long effects may take to end when it is stopped', '30s')
    .addOption(onlyJsonOption())
    .addOption(quietOption('print only what is wrong'))
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
      process.exitCode = await worker({ ...flags, ...cli.telling }, cli.terminal);
    });
}

function whereOptions(command: Command): readonly Option[] {
  if (command.name() === 'worker') return PLACE;
  return ABOUT_RUNS.includes(command.name()) ? [ON, ...PLACE] : [];
}

/** What would change nothing is not taken in silence. */
async function refuseUnmeant(command: Command, said: WhereFlags): Promise<void> {
  const meant = whereOptions(command);
  const unmeant = [ON, ...PLACE].find(
    (option) => Object.hasOwn(said, option.attributeName()) && !meant.includes(option),
  );
  if (unmeant === undefined) return;
  const name = command.name();
  const { refusal } = await import('../exit.ts');
  throw refusal(
    `${unmeant.long ?? ''} means nothing to errand ${name}`,
    name === 'worker'
      ? 'A worker is always of a Temporal server; leave it out.'
      : `Leave it out: it says where runs are, and errand ${name} does not go there.`,
  );
}
