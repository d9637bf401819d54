/**
 * The `errand` command. Each command's module is loaded when it is called, so that `--help` loads
 * nothing. Whatever goes wrong ends here, as a report with an exit code.
 */
import { Command, CommanderError, Option } from 'commander';
import { FORMATS, type Format } from './format.ts';
import { processTerminal } from './terminal.ts';
import { VERSION } from './version.ts';

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
