/** The commands around workflow files and the set-up. */
import type { Format } from '../format.ts';
import {
  eventsOption,
  examples,
  formatOption,
  onlyJsonOption,
  quietOption,
  verboseOption,
  type CliContext,
} from './context.ts';

const FILES = 'Write workflows:';
const SETUP = 'Set up and test:';

export function addFileCommands(cli: CliContext): void {
  addInit(cli);
  addDraft(cli);
  addValidate(cli);
  addSchema(cli);
  addClassify(cli);
  addSimulate(cli);
  addDoctor(cli);
  addCompletion(cli);
}

function addInit(cli: CliContext): void {
  cli.program
    .command('init')
    .helpGroup(FILES)
    .summary('write a first workflow')
    .description(
      'Writes a workflow that runs at once, without a key: its models are simulated, one of them fails, and the failure is handled. An existing file is never touched.',
    )
    .argument('[file]', 'the file to write', 'workflow.yaml')
    .addOption(formatOption(['text', 'json']))
    .addOption(quietOption('print only the name of the file'))
    .addOption(verboseOption())
    .addHelpText('after', examples('errand init', 'errand init triage.yaml'))
    .action(async (file: string) => {
      const { init } = await import('../commands/init.ts');
      process.exitCode = init(file, cli.telling, cli.terminal);
    });
}

interface DraftFlags {
  readonly model?: string;
  readonly simulate?: string;
  readonly out?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly format: Format;
}

function addDraft(cli: CliContext): void {
  cli.program
    .command('draft')
    .helpGroup(FILES)
    .summary('let a model write a workflow')
    .description(
      'Has a model write a workflow file for a goal. What is not valid goes back to it with what is wrong, twice at most; only a valid file is written or printed. It is a run like any other: stored, resumable, and on the bill.',
    )
    .argument('<goal>', 'what the workflow is for, in a sentence or more')
    .option('--model <provider/model>', 'who writes it; default: ERRAND_MODEL')
    .option('--out <file>', 'write it there instead of to stdout; never over an existing file')
    .option('--simulate <file>', 'what a sim/ model answers: a list, as in `runtime.simulate`')
    .addOption(eventsOption('the events'))
    .addOption(formatOption())
    .addOption(quietOption())
    .addOption(verboseOption('print every step, and internal details of an Errand bug'))
    .addHelpText(
      'after',
      examples(
        'errand draft "label support tickets, ask a person about refunds" --out triage.yaml',
        'errand draft "summarise a web page" --model anthropic/claude-sonnet-5',
      ),
    )
    .action(async (goal: string, flags: DraftFlags) => {
      const { draft } = await import('../commands/draft.ts');
      process.exitCode = await draft(goal, flags, cli.terminal);
    });
}

interface ValidateFlags {
  readonly strict?: boolean;
  /** False: no code of the files is loaded. */
  readonly modules?: boolean;
}

function addValidate(cli: CliContext): void {
  cli.program
    .command('validate')
    .helpGroup(FILES)
    .summary('check workflow files before running them')
    .description(
      'Checks workflow files and the workflows they call: form, names, routes, every kind of failure a node can have and which route handles it, and the most a run can cost. No node is run and no server is started, but the modules and extensions that a file names are loaded, which runs their code: give --no-modules for files of others.',
    )
    .argument('<file...>', 'workflow files')
    .option(
      '--strict',
      'warnings, and kinds that use the default without `on_unhandled`, make a file invalid',
    )
    .option('--no-modules', 'load no module and no extension; what they export is not looked at')
    .addOption(formatOption(['text', 'json']))
    .addOption(quietOption('print only what is not valid'))
    .addOption(verboseOption())
    .addHelpText(
      'after',
      examples(
        'errand validate triage.yaml',
        'errand validate --strict --format json workflows/*.yaml',
        'errand validate --no-modules pull-request.yaml',
      ),
    )
    .action(async (files: string[], { strict, modules }: ValidateFlags) => {
      const { validate } = await import('../commands/validate.ts');
      const options = { ...cli.telling, strict: strict === true, modules: modules !== false };
      process.exitCode = await validate(files, options, cli.terminal);
    });
}

function addSchema(cli: CliContext): void {
  cli.program
    .command('schema')
    .helpGroup(FILES)
    .summary('print the JSON Schema of workflow files')
    .description(
      'Prints the JSON Schema (draft-07) of workflow files. An editor completes a file that begins with a yaml-language-server comment naming it.',
    )
    .addOption(onlyJsonOption())
    .addOption(verboseOption())
    .addHelpText('after', examples('errand schema > workflow.schema.json'))
    .action(async () => {
      const { schema } = await import('../commands/schema.ts');
      process.exitCode = schema(cli.terminal);
    });
}

function addClassify(cli: CliContext): void {
  cli.program
    .command('classify')
    .helpGroup(SETUP)
    .summary('say what a provider failure is')
    .description(
      'Reads a failure as JSON from standard input and says what it is: {"id", "provider", "api", "operation", "status", "headers", "body", "transport", "stream"}, all optional but one of status, body and transport.',
    )
    .option('--jsonl', 'read one failure per line; a bad line is told on its own line')
    .addOption(onlyJsonOption())
    .addOption(verboseOption())
    .addHelpText(
      'after',
      examples(
        `echo '{"provider":"openai","status":429,"body":{"error":{"code":"insufficient_quota"}}}' | errand classify`,
        'errand classify --jsonl < failures.jsonl',
      ),
    )
    .action(async (options: { jsonl?: boolean }) => {
      const { classify } = await import('../commands/classify.ts');
      process.stdin.setEncoding('utf8');
      // with an encoding set, the stream gives strings
      const input = process.stdin as AsyncIterable<string>;
      process.exitCode = await classify(input, options, cli.terminal);
    });
}

function addSimulate(cli: CliContext): void {
  cli.program
    .command('simulate')
    .helpGroup(SETUP)
    .summary('serve simulated models on this machine')
    .description(
      'Serves simulated models behind the protocols of OpenAI (chat and responses), Anthropic and Gemini, so that any client can be tested against them. Ctrl-C ends it.',
    )
    .option('--port <number>', 'the port; 0 takes one that is free', '0')
    .option('--host <address>', 'the address to listen on', '127.0.0.1')
    .option('--script <file>', 'what the models answer: YAML, as in `runtime.simulate`')
    .option('--corpus <file>', 'recorded failures (JSONL) that a script may name by id')
    .addOption(formatOption(['text', 'json']))
    .addOption(quietOption('print only the addresses, and no line for each request'))
    .addOption(verboseOption())
    .addHelpText(
      'after',
      examples(
        'errand simulate --port 8080 --script clerk.sim.yaml',
        'errand simulate --corpus failures.jsonl',
      ),
    )
    .action(async (options: { port: string; host: string; script?: string; corpus?: string }) => {
      const { simulate } = await import('../commands/simulate.ts');
      process.exitCode = await simulate({ ...options, ...cli.telling }, cli.terminal);
    });
}

function addDoctor(cli: CliContext): void {
  cli.program
    .command('doctor')
    .helpGroup(SETUP)
    .summary('check the set-up of this machine and project')
    .description(
      'Checks Node, the store, which keys are set (their names, never their values) and which provider packages are installed. Without --online nothing is sent anywhere.',
    )
    .option('--online', 'also ask whether the providers whose keys are set can be reached')
    .addOption(formatOption(['text', 'json']))
    .addOption(quietOption('print only what is wrong'))
    .addOption(verboseOption())
    .addHelpText('after', examples('errand doctor', 'errand doctor --online --format json'))
    .action(async ({ online }: { readonly online?: boolean }) => {
      const { doctor } = await import('../commands/doctor.ts');
      const options = { ...cli.telling, online: online === true };
      process.exitCode = await doctor(options, cli.terminal);
    });
}

function addCompletion(cli: CliContext): void {
  cli.program
    .command('completion')
    .helpGroup(SETUP)
    .summary('print the completion of a shell')
    .description(
      'Prints a script that makes a shell complete commands, options, files, kinds and the runs of the project.',
    )
    .argument('<shell>', 'bash, zsh or fish')
    .addOption(onlyJsonOption())
    .addOption(verboseOption())
    .addHelpText(
      'after',
      examples(
        'errand completion bash >> ~/.bashrc',
        'errand completion zsh > "${fpath[1]}/_errand"',
        'errand completion fish > ~/.config/fish/completions/errand.fish',
      ),
    )
    .action(async (shell: string) => {
      const { completion } = await import('../commands/completion.ts');
      process.exitCode = completion(shell, cli.program, cli.terminal);
    });
}
