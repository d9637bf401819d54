/** The commands that read runs and change nothing: `runs`, `watch`, `explain`, `show`, `costs`, `audit`, `trace`. */
import { Option } from 'commander';
import type { Format } from '../format.ts';
import {
  collect,
  eventsOption,
  examples,
  formatOption,
  quietOption,
  verboseOption,
  type CliContext,
  type Commands,
} from './cli-context.ts';

const GROUP = 'Inspect runs:';
const RUN = ['<run>', 'the id of a run, as `errand runs` lists it'] as const;
const ID = '3f0c7a529b1e4d0c8a7bve5f';

export const INSPECT_COMMANDS: Commands = {
  runs: addRuns,
  watch: addWatch,
  explain: addExplain,
  show: addShow,
  costs: addCosts,
  audit: addAudit,
  trace: addTrace,
};

function addShow(cli: CliContext): void {
  addOfRun(cli, 'show', {
    summary: 'show one run',
    description:
      'Shows the status of a run and of each of its nodes, what it waits for, and what it cost. With --html the page of the run is written as one file without scripts, for an issue or the artefacts of a CI job.',
    options: [new Option('--html <file>', 'write the page of the run to a file; - is stdout')],
    examples: [`errand show ${ID} --html failure.html`],
    load: async () => (await import('../commands/show.ts')).show,
  });
}

function addCosts(cli: CliContext): void {
  addOfRun(cli, 'costs', {
    summary: 'show what a run cost',
    description:
      'Shows what a run cost: one line for each attempt of each effect, including failed and free ones.',
    load: async () => (await import('../commands/costs.ts')).costs,
  });
}

function addAudit(cli: CliContext): void {
  addOfRun(cli, 'audit', {
    summary: 'show who did what to a run',
    description:
      'Shows each retry, answer, approval, resume, cancellation, accepted drift and suppressed failure of a run, and who did it.',
    load: async () => (await import('../commands/audit.ts')).audit,
  });
}

type Inspect = (
  id: string,
  options: { readonly format: Format; readonly html?: string },
  terminal: CliContext['terminal'],
) => Promise<number>;

function addOfRun(
  cli: CliContext,
  name: string,
  {
    summary,
    description,
    options: own = [],
    examples: more = [],
    load,
  }: {
    readonly summary: string;
    readonly description: string;
    readonly options?: readonly Option[];
    readonly examples?: readonly string[];
    readonly load: () => Promise<Inspect>;
  },
): void {
  const command = cli.program
    .command(name)
    .helpGroup(GROUP)
    .summary(summary)
    .description(description)
    .argument(...RUN)
    .addOption(formatOption(['text', 'json']));
  for (const option of own) command.addOption(option);
  command
    .addOption(verboseOption())
    .addHelpText(
      'after',
      examples(`errand ${name} ${ID}`, `errand ${name} ${ID} --format json`, ...more),
    )
    .action(async (id: string, options: Parameters<Inspect>[1]) => {
      const inspect = await load();
      process.exitCode = await inspect(id, options, cli.terminal);
    });
}

function addTrace(cli: CliContext): void {
  cli.program
    .command('trace')
    .helpGroup(GROUP)
    .summary('print the spans of a run for OpenTelemetry')
    .description(
      'Prints the spans of a stored run as one OTLP request, without any SDK: send it to a receiver, or open it in a viewer. The ids are derived from the run, so the same run gives the same bytes.',
    )
    .argument(...RUN)
    .addOption(
      new Option('--format <format>', 'how to print it')
        .choices(['otlp-json'])
        .default('otlp-json'),
    )
    .addOption(verboseOption())
    .addHelpText(
      'after',
      examples(
        `errand trace ${ID} --format otlp-json`,
        `errand trace ${ID} | curl -H 'Content-Type: application/json' --data @- http://127.0.0.1:4318/v1/traces`,
      ),
    )
    .action(async (id: string) => {
      const { trace } = await import('../commands/trace.ts');
      process.exitCode = await trace(id, cli.terminal);
    });
}

interface RunsFlags {
  readonly limit?: string;
  readonly status?: readonly string[];
  readonly workflow?: string;
}

function addRuns(cli: CliContext): void {
  cli.program
    .command('runs')
    .helpGroup(GROUP)
    .summary('list the runs of this project')
    .description('Lists the runs of this project, newest first.')
    .addOption(
      new Option(
        '--status <status>',
        'only runs that are running, paused, due, interrupted, completed, failed or cancelled; may be repeated',
      ).argParser(collect),
    )
    .option('--workflow <name>', 'only runs of this workflow')
    .option(
      '-n, --limit <number>',
      'list at most this many; default: 50, and all with --format json or --quiet',
    )
    .addOption(formatOption(['text', 'json']))
    .addOption(quietOption('print only ids'))
    .addOption(verboseOption())
    .addHelpText(
      'after',
      examples(
        'errand runs',
        'errand runs --status failed --workflow triage',
        'errand runs --status due --quiet',
        'errand runs --limit 10 --format json',
      ),
    )
    .action(async (options: RunsFlags) => {
      const { runs } = await import('../commands/runs.ts');
      process.exitCode = await runs({ ...options, ...cli.output }, cli.terminal);
    });
}

function addWatch(cli: CliContext): void {
  cli.program
    .command('watch')
    .helpGroup(GROUP)
    .summary('follow a run in another process')
    .description(
      'Follows a run, whatever process runs it, until it ends or pauses. With --wait it follows through pauses, until the run ends. For a run that has already stopped, it shows the last leg.',
    )
    .argument(...RUN)
    .option('--wait', 'keep following while the run is paused, until it ends')
    .addOption(eventsOption('the events'))
    .addOption(formatOption(['text', 'json']))
    .addOption(quietOption('print only how it ends'))
    .addOption(verboseOption('print every step, and internal details of an Errand bug'))
    .addHelpText(
      'after',
      examples(`errand watch ${ID}`, `errand watch ${ID} --wait`, `errand watch ${ID} --json`),
    )
    .action(
      async (id: string, { json, wait }: { readonly json?: boolean; readonly wait?: boolean }) => {
        const { watch } = await import('../commands/watch.ts');
        const options = { ...cli.output, json: json === true, wait: wait === true };
        process.exitCode = await watch(id, options, cli.terminal);
      },
    );
}

function addExplain(cli: CliContext): void {
  cli.program
    .command('explain')
    .helpGroup(GROUP)
    .summary('explain a kind of failure, or the failures of a run')
    .description(
      'For a kind: what it means, why it happens, what to do, and what Errand does by itself. For a run: the history of each of its failures, with every retry, every boundary it crossed, the route that handled it and why others did not.',
    )
    .argument(
      '[kind-or-run]',
      'a kind such as provider.rate_limited, a code or status from a log, or a run',
    )
    .option('--list', 'list all kinds')
    .addOption(formatOption())
    .addOption(verboseOption())
    .addHelpText(
      'after',
      examples(
        'errand explain provider.quota_exhausted',
        'errand explain insufficient_quota',
        `errand explain ${ID}`,
        'errand explain --list --format json',
      ),
    )
    .action(
      async (name: string | undefined, options: { list?: boolean; readonly format: Format }) => {
        const { explain } = await import('../commands/explain.ts');
        process.exitCode = await explain(name, options, cli.terminal);
      },
    );
}
