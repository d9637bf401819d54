/**
 * The `errand` command. Each command's module is loaded when it is called, so that `--help` loads
 * nothing. Whatever goes wrong ends here, as a report with an exit code.
 */
import { Command, CommanderError, Option } from 'commander';
import { FORMATS, type Format } from './format.ts';
import { processTerminal } from './terminal.ts';
import { VERSION } from './version.ts';

interface LegFlags {
  readonly set: string[];
  readonly answer: string[];
  readonly gates: boolean;
  readonly json?: boolean;
  readonly wait?: boolean;
  readonly format: Format;
}

interface ResumeFlags extends LegFlags {
  readonly now?: boolean;
  readonly acceptDrift?: boolean;
}

interface Leg {
  readonly inputs: readonly string[];
  readonly answers: readonly string[];
  readonly gates: boolean;
  readonly json: boolean;
  readonly wait: boolean;
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
    process.exitCode = await validate(files, options, terminal);
  });

legCommand('run')
  .summary('run a workflow')
  .description(
    'Runs a workflow file. The output goes to stdout, everything else to stderr; the run is stored and can be resumed.',
  )
  .argument('<file>', 'a workflow file')
  .option('--input <file>', 'a JSON file of inputs')
  .addHelpText(
    'after',
    '\nExamples:\n  errand run triage.yaml -i ticket="It broke"\n  errand run triage.yaml --input ticket.json --format json',
  )
  .action(async (file: string, flags: LegFlags & { readonly input?: string }) => {
    format = flags.format;
    const { run } = await import('./commands/run.ts');
    const inputFile = flags.input === undefined ? {} : { inputFile: flags.input };
    process.exitCode = await run(file, { ...legFlags(flags), ...inputFile }, terminal);
  });

resumeCommand('resume')
  .summary('go on with a run')
  .description(
    'Goes on with a run that is paused, parked, failed or was interrupted. What completed keeps its result.',
  )
  .argument('<run>', 'the id of a run')
  .addHelpText(
    'after',
    '\nExamples:\n  errand resume 3f0c7a52-9b1e\n  errand resume 3f0c7a52-9b1e -i limit=5 --accept-drift',
  )
  .action(async (id: string, flags: ResumeFlags) => {
    format = flags.format;
    const { resume } = await import('./commands/run.ts');
    process.exitCode = await resume(id, resumeFlags(flags), terminal);
  });

resumeCommand('retry')
  .summary('run a part of a run again')
  .description(
    'Runs a finished node and what follows it again, in a completed run too. Without --from it is `resume`.',
  )
  .argument('<run>', 'the id of a run')
  .option('--from <node>', 'the node to begin at, as `errand show` names it')
  .addHelpText('after', '\nExample:\n  errand retry 3f0c7a52-9b1e --from classify')
  .action(async (id: string, flags: ResumeFlags & { readonly from?: string }) => {
    format = flags.format;
    const { resume } = await import('./commands/run.ts');
    process.exitCode = await resume(
      id,
      {
        ...resumeFlags(flags),
        by: 'retry',
        ...(flags.from === undefined ? {} : { from: flags.from }),
      },
      terminal,
    );
  });

resumeCommand('answer')
  .summary('answer a gate of a run')
  .description('Answers a gate that a run waits at, and goes on with the run.')
  .argument('<run>', 'the id of a run')
  .argument('[gate]', 'the path of the gate, or its node; not needed where one is open')
  .requiredOption('--value <value>', 'the answer: an option, or JSON')
  .addHelpText(
    'after',
    '\nExamples:\n  errand answer 3f0c7a52-9b1e --value yes\n  errand answer 3f0c7a52-9b1e review --value \'{"edit": {"label": "bug"}}\'',
  )
  .action(
    async (
      id: string,
      gate: string | undefined,
      flags: ResumeFlags & { readonly value: string },
    ) => {
      format = flags.format;
      const { resume } = await import('./commands/run.ts');
      const { answerValue } = await import('./answer-value.ts');
      const answer = { gate, value: answerValue(flags.value), by: 'cli' };
      process.exitCode = await resume(
        id,
        { ...resumeFlags(flags), answer, by: 'answer' },
        terminal,
      );
    },
  );

program
  .command('cancel')
  .summary('end a run for good')
  .description('Ends a run for good, whether it is running now, paused or failed.')
  .argument('<run>', 'the id of a run')
  .addOption(formatOption())
  .addHelpText('after', '\nExample:\n  errand cancel 3f0c7a52-9b1e')
  .action(async (id: string, flags: { readonly format: Format }) => {
    format = flags.format;
    const { cancel } = await import('./commands/run.ts');
    process.exitCode = await cancel(id, flags, terminal);
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

program
  .command('simulate')
  .summary('serve simulated models on this machine')
  .description(
    'Serves simulated models behind the protocols of OpenAI (chat and responses), Anthropic and Gemini, so that any client can be tested against them. Ctrl-C ends it.',
  )
  .option('--port <number>', 'the port; 0 takes one that is free', '0')
  .option('--host <address>', 'the address to listen on', '127.0.0.1')
  .option('--script <file>', 'what the models answer: YAML, as in `runtime.simulate`')
  .option('--corpus <file>', 'recorded failures (JSONL) that a script may name by id')
  .addHelpText(
    'after',
    '\nExamples:\n  errand simulate --port 8080 --script clerk.sim.yaml\n  errand simulate --corpus failures.jsonl',
  )
  .action(async (options: { port: string; host: string; script?: string; corpus?: string }) => {
    const { simulate } = await import('./commands/simulate.ts');
    process.exitCode = await simulate(options, terminal);
  });

/** A command that runs a leg of a run. */
function legCommand(name: string): Command {
  return program
    .command(name)
    .option(
      '-i, --set <name=value>',
      'an input, read by its declared type; may be repeated',
      collect,
      [],
    )
    .option(
      '--answer <node=value>',
      'what a gate is answered with when it opens; may be repeated',
      collect,
      [],
    )
    .option('--no-gates', 'nobody can be asked: gates fail at once')
    .option('--json', 'print the events of this leg, one per line')
    .option('--wait', 'wait out waits of any length instead of pausing')
    .addOption(formatOption());
}

function resumeCommand(name: string): Command {
  return legCommand(name)
    .option('--now', 'cut parks and backoffs short')
    .option('--accept-drift', 'keep the results of finished nodes that have changed since');
}

function resumeFlags(flags: ResumeFlags): Leg & { now: boolean; acceptDrift: boolean } {
  return {
    ...legFlags(flags),
    now: flags.now === true,
    acceptDrift: flags.acceptDrift === true,
  };
}

function legFlags({ set, answer, gates, json, wait, format: wanted }: LegFlags): Leg {
  return {
    inputs: set,
    answers: answer,
    gates,
    json: json === true,
    wait: wait === true,
    format: wanted,
  };
}

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
