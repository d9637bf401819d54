/**
 * The `errand` command. Each command's module is loaded when it is called, so that `--help` loads
 * nothing. Whatever goes wrong ends here, as a report with an exit code.
 */
import { Command, CommanderError, Option } from 'commander';
import { FORMATS, type Format } from './format.ts';
import { processTerminal } from './terminal.ts';
import { VERSION } from './version.ts';

interface RunFlags {
  readonly set: string[];
  readonly input?: string;
  readonly json?: boolean;
  readonly wait?: boolean;
  readonly format: Format;
}

const terminal = processTerminal();

/** Set by the command that runs, so that a failure is shown in the format that was asked for. */
let format: Format = 'text';

const program = new Command('errand')
  .description('A workflow engine for LLM agents that is built around failure.')
  .version(VERSION, '-V, --version', 'print the version')
  .helpOption('-h, --help', 'print help')
  .showSuggestionAfterError(true)
  .exitOverride()
  .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'errand: ')) })
  .addHelpText(
    'after',
    `
Examples:
  errand explain provider.rate_limited     what a failure means and what to do
  errand explain BudgetExceededError       the same, by the name it has elsewhere
  errand classify --jsonl < failures.jsonl say what each failure is`,
  );

program
  .command('explain')
  .summary('say what a kind of failure means')
  .description(
    'Says what a kind of failure means, why it happens, what to do, and what Errand does by itself.',
  )
  .argument('[kind]', 'a kind, such as provider.rate_limited, or the name it has in another system')
  .option('--list', 'list all kinds')
  .addOption(formatOption())
  .addHelpText(
    'after',
    '\nExamples:\n  errand explain provider.quota_exhausted\n  errand explain --list --format json',
  )
  .action(async (kind: string | undefined, options: { list?: boolean; format: Format }) => {
    format = options.format;
    const { explain } = await import('./commands/explain.ts');
    process.exitCode = explain(kind, options, terminal);
  });

program
  .command('classify')
  .summary('say what a provider failure is')
  .description(
    'Reads a failure as JSON from standard input and says what it is: {"id", "provider", "api", "operation", "status", "headers", "body", "transport", "stream"}, all optional but one of status, body and transport.',
  )
  .option('--jsonl', 'read one failure per line; a bad line is told on its own line')
  .addHelpText(
    'after',
    `\nExamples:\n  echo '{"provider":"openai","status":429,"body":{"error":{"code":"insufficient_quota"}}}' | errand classify\n  errand classify --jsonl < failures.jsonl`,
  )
  .action(async (options: { jsonl?: boolean }) => {
    const { classify } = await import('./commands/classify.ts');
    process.stdin.setEncoding('utf8');
    // with an encoding set, the stream gives strings
    process.exitCode = await classify(process.stdin as AsyncIterable<string>, options, terminal);
  });

program
  .command('validate')
  .summary('prove what can be proved of workflow files')
  .description(
    'Checks workflow files and the workflows they call: form, names, routes, every kind of failure a node can have and what takes it, and the most a run can cost. Nothing is run.',
  )
  .argument('<file...>', 'workflow files')
  .option('--strict', 'warnings, and kinds that fall to the default unsaid, make a file invalid')
  .addOption(
    new Option('--format <format>', 'how to print it').choices(['text', 'json']).default('text'),
  )
  .addHelpText(
    'after',
    '\nExamples:\n  errand validate triage.yaml\n  errand validate --strict --format json workflows/*.yaml',
  )
  .action(async (files: string[], options: { strict?: boolean; format: 'text' | 'json' }) => {
    format = options.format;
    const { validate } = await import('./commands/validate.ts');
    process.exitCode = validate(files, options, terminal);
  });

program
  .command('run')
  .summary('run a workflow')
  .description(
    'Runs a workflow file. The output goes to stdout, everything else to stderr; the run is stored and can be resumed.',
  )
  .argument('<file>', 'a workflow file')
  .option(
    '-i, --set <name=value>',
    'an input, read by its declared type; may be repeated',
    collect,
    [],
  )
  .option('--input <file>', 'a JSON file of inputs')
  .option('--json', 'print the events of the run, one per line')
  .option('--wait', 'wait out waits of any length instead of pausing')
  .addOption(formatOption())
  .addHelpText(
    'after',
    '\nExamples:\n  errand run triage.yaml -i ticket="It broke"\n  errand run triage.yaml --input ticket.json --format json',
  )
  .action(async (file: string, options: RunFlags) => {
    format = options.format;
    const { run } = await import('./commands/run.ts');
    process.exitCode = await run(
      file,
      {
        ...options,
        inputs: options.set,
        ...(options.input === undefined ? {} : { inputFile: options.input }),
      },
      terminal,
    );
  });

program
  .command('resume')
  .summary('go on with a run')
  .description(
    'Goes on with a run that is paused, parked, failed or was interrupted. What completed keeps its result.',
  )
  .argument('<run>', 'the id of a run')
  .option('--json', 'print the events of this leg, one per line')
  .option('--wait', 'wait out waits of any length instead of pausing')
  .addOption(formatOption())
  .addHelpText('after', '\nExample:\n  errand resume 3f0c7a52-9b1e')
  .action(async (id: string, options: RunFlags) => {
    format = options.format;
    const { resume } = await import('./commands/run.ts');
    process.exitCode = await resume(id, options, terminal);
  });

program
  .command('answer')
  .summary('answer a gate of a run')
  .description('Answers a gate that a paused run waits at, and goes on with the run.')
  .argument('<run>', 'the id of a run')
  .argument('[gate]', 'the path of the gate, or its node; not needed where one is open')
  .requiredOption('--value <value>', 'the answer: an option, or JSON')
  .option('--json', 'print the events of this leg, one per line')
  .option('--wait', 'wait out waits of any length instead of pausing')
  .addOption(formatOption())
  .addHelpText(
    'after',
    '\nExamples:\n  errand answer 3f0c7a52-9b1e --value yes\n  errand answer 3f0c7a52-9b1e review --value \'{"edit": {"label": "bug"}}\'',
  )
  .action(async (id: string, gate: string | undefined, options: RunFlags & { value: string }) => {
    format = options.format;
    const { resume } = await import('./commands/run.ts');
    const { answerValue } = await import('./answer-value.ts');
    const answer = { gate, value: answerValue(options.value), by: 'cli' };
    process.exitCode = await resume(id, { ...options, answer }, terminal);
  });

program
  .command('runs')
  .summary('list the runs of this project')
  .description('Lists the runs of this project, newest first.')
  .addOption(formatOption())
  .action(async (options: { format: Format }) => {
    format = options.format;
    const { runs } = await import('./commands/runs.ts');
    process.exitCode = await runs(options, terminal);
  });

program
  .command('show')
  .summary('show one run')
  .description('Shows what became of a run and of each of its nodes.')
  .argument('<run>', 'the id of a run')
  .addOption(formatOption())
  .action(async (id: string, options: { format: Format }) => {
    format = options.format;
    const { show } = await import('./commands/runs.ts');
    process.exitCode = await show(id, options, terminal);
  });

program
  .command('schema')
  .summary('print the JSON Schema of workflow files')
  .description(
    'Prints the JSON Schema (draft-07) of workflow files. An editor completes a file that begins with a yaml-language-server comment naming it.',
  )
  .addHelpText('after', '\nExample:\n  errand schema > workflow.schema.json')
  .action(async () => {
    const { schema } = await import('./commands/schema.ts');
    process.exitCode = schema(terminal);
  });

function collect(value: string, before: readonly string[]): string[] {
  return [...before, value];
}

function formatOption(): Option {
  return new Option('--format <format>', 'how to print it').choices(FORMATS).default('text');
}

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else {
    const { refuse } = await import('./exit.ts');
    process.exitCode = refuse(error, format, terminal);
  }
}
