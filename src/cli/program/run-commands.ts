/** The commands that execute runs: `run`, `resume`, `retry`, `answer`, `cancel`. */
import { Option, type Command } from 'commander';
import { EXITS } from '../../errors/catalog/exit-codes.ts';
import { wrap } from '../../errors/render/columns.ts';
import {
  anyFormatOption,
  collect,
  eventsOption,
  examples,
  formatOption,
  providerOption,
  quietOption,
  verboseOption,
  type CliContext,
  type Commands,
} from './cli-context.ts';

interface LegFlags {
  readonly set?: readonly string[];
  readonly answer?: readonly string[];
  readonly gates: boolean;
  readonly json?: boolean;
  readonly wait?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  /** A built-in format, or the name of an extension. */
  readonly format: string;
}

interface RunFlags extends LegFlags {
  readonly input?: string;
  readonly ui?: boolean;
}

interface ResumeFlags extends LegFlags {
  readonly now?: boolean;
  readonly acceptDrift?: boolean;
}

const GROUP = 'Run workflows:';
const RUN = ['<run>', 'the id of a run, as `errand runs` lists it'] as const;

export const RUN_COMMANDS: Commands = {
  run: addRun,
  resume: addResume,
  retry: addRetry,
  answer: addAnswer,
  cancel: addCancel,
};

function addRun(cli: CliContext): void {
  legCommand(cli, 'run')
    .summary('run a workflow')
    .description(
      'Runs a workflow file. The output goes to stdout, everything else to stderr; the run is stored and can be resumed.',
    )
    .argument('<file>', 'a workflow file')
    .option('--input <file>', 'a JSON file of inputs')
    .option('--ui', 'show the run in a browser while it takes')
    .addHelpText(
      'after',
      examples(
        'errand run triage.yaml -i ticket="It broke"',
        'errand run triage.yaml --input ticket.json --format json',
        'errand run triage.yaml --json > events.jsonl',
        'errand run review.yaml --answer approve=yes --wait',
        'errand run review.yaml --ui',
        'errand run review.yaml --provider sim',
      ),
    )
    .addHelpText('after', exitTable)
    .action(async (file: string, flags: RunFlags) => {
      const { run } = await import('../commands/run.ts');
      const inputFile = flags.input === undefined ? {} : { inputFile: flags.input };
      const ui = flags.ui === true ? { ui: true } : {};
      process.exitCode = await run(file, { ...legFlags(flags), ...inputFile, ...ui }, cli.terminal);
    });
}

function addResume(cli: CliContext): void {
  resumeCommand(cli, 'resume')
    .summary('resume a run')
    .description(
      'Resumes a run that is paused, failed or interrupted. Completed nodes keep their results. Fix the file, the input or the key first, then resume.',
    )
    .argument(...RUN)
    .addHelpText(
      'after',
      examples(
        'errand resume 3f0c7a529b1e4d0c8a7bve5f',
        'errand resume 3f0c7a529b1e4d0c8a7bve5f -i limit=5 --accept-drift',
        'errand resume 3f0c7a529b1e4d0c8a7bve5f --now',
      ),
    )
    .action(async (id: string, flags: ResumeFlags) => {
      const { resume } = await import('../commands/run.ts');
      process.exitCode = await resume(id, resumeFlags(flags), cli.terminal);
    });
}

function addRetry(cli: CliContext): void {
  resumeCommand(cli, 'retry')
    .summary('run part of a run again')
    .description(
      'Runs a finished node and everything after it again, also in a completed run. Without --from it does the same as `resume`.',
    )
    .argument(...RUN)
    .option('--from <node>', 'the node to start from, as `errand show` names it')
    .addHelpText('after', examples('errand retry 3f0c7a529b1e4d0c8a7bve5f --from classify'))
    .action(async (id: string, flags: ResumeFlags & { readonly from?: string }) => {
      const { resume } = await import('../commands/run.ts');
      const from = flags.from === undefined ? {} : { from: flags.from };
      const options = { ...resumeFlags(flags), ...from };
      process.exitCode = await resume(id, options, cli.terminal);
    });
}

function addAnswer(cli: CliContext): void {
  resumeCommand(cli, 'answer')
    .summary('answer a gate of a run')
    .description('Answers a gate that a run waits at, and resumes the run.')
    .argument(...RUN)
    .argument('[gate]', 'the path of the gate, or its node; optional when only one is open')
    .requiredOption('--value <value>', 'the answer: an option, or JSON')
    .option(
      '--opening <number>',
      'the opening to answer, as `waiting` has it; without it, the one that is open now',
    )
    .addHelpText(
      'after',
      examples(
        'errand answer 3f0c7a529b1e4d0c8a7bve5f --value yes',
        'errand answer 3f0c7a529b1e4d0c8a7bve5f review --value \'{"edit": {"label": "bug"}}\'',
        'errand answer 3f0c7a529b1e4d0c8a7bve5f --value \'{"raise": {"usd": 1}}\'',
      ),
    )
    .action(
      async (
        id: string,
        gate: string | undefined,
        flags: ResumeFlags & { readonly value: string; readonly opening?: string },
      ) => {
        const { resume } = await import('../commands/run.ts');
        const { answerValue } = await import('../session/answer-value.ts');
        const { openingOf } = await import('../session/opening.ts');
        const opening = openingOf(flags.opening);
        const answer = { gate, opening, value: answerValue(flags.value) };
        const options = { ...resumeFlags(flags), answer };
        process.exitCode = await resume(id, options, cli.terminal);
      },
    );
}

function addCancel(cli: CliContext): void {
  cli.program
    .command('cancel')
    .helpGroup(GROUP)
    .summary('cancel a run for good')
    .description(
      'Cancels a run for good, whether it is running, paused or failed. A cancelled run cannot be resumed.',
    )
    .argument(...RUN)
    .addOption(formatOption())
    .addOption(quietOption('print nothing on success'))
    .addOption(verboseOption())
    .addHelpText('after', examples('errand cancel 3f0c7a529b1e4d0c8a7bve5f'))
    .action(async (id: string) => {
      const { cancel } = await import('../commands/run.ts');
      process.exitCode = await cancel(id, cli.output, cli.terminal);
    });
}

/** The options of every command that executes a leg. */
function legCommand({ program }: CliContext, name: string): Command {
  return program
    .command(name)
    .helpGroup(GROUP)
    .addOption(
      new Option(
        '-i, --set <name=value>',
        'an input, read by its declared type; may be repeated',
      ).argParser(collect),
    )
    .addOption(
      new Option(
        '--answer <node=value>',
        'the answer to a gate when it opens; may be repeated, also for the next times it opens',
      ).argParser(collect),
    )
    .option('--no-gates', 'no person can be asked: gates fail at once')
    .option(
      '--wait',
      'stay for waits of more than two minutes instead of pausing; a park and a question to a person still pause',
    )
    .addOption(providerOption())
    .addOption(eventsOption('the events of this leg'))
    .addOption(anyFormatOption())
    .addOption(quietOption())
    .addOption(verboseOption('print every step, and internal details of an Errand bug'));
}

function resumeCommand(cli: CliContext, name: string): Command {
  return legCommand(cli, name)
    .option('--now', 'cut parks and backoffs short')
    .option('--accept-drift', 'keep the results of finished nodes that were edited since');
}

function resumeFlags(flags: ResumeFlags) {
  return {
    ...legFlags(flags),
    now: flags.now === true,
    acceptDrift: flags.acceptDrift === true,
  };
}

function legFlags({ set = [], answer = [], gates, json, wait, quiet, verbose, format }: LegFlags) {
  return {
    inputs: set,
    answers: answer,
    gates,
    json: json === true,
    wait: wait === true,
    quiet: quiet === true,
    verbose: verbose === true,
    format,
  };
}

function exitTable(): string {
  const rows = Object.entries(EXITS).flatMap(([code, meaning]) =>
    wrap(meaning, 72).map((line, at) => `  ${(at === 0 ? code : '').padEnd(5)}${line}`),
  );
  return `\nExit codes:\n${rows.join('\n')}`;
}
