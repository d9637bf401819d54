/** The commands for workflow files and the set-up: `init`, `draft`, `validate`, `schema` and others. */
import { Option } from 'commander';
import type { Format } from '../format.ts';
import {
  eventsOption,
  examples,
  formatOption,
  onlyJsonOption,
  providerOption,
  quietOption,
  verboseOption,
  type CliContext,
  type Commands,
} from './cli-context.ts';

const FILES = 'Write workflows:';
const SETUP = 'Set up and test:';

export const FILE_COMMANDS: Commands = {
  init: addInit,
  draft: addDraft,
  validate: addValidate,
  schema: addSchema,
  classify: addClassify,
  simulate: addSimulate,
  doctor: addDoctor,
  completion: addCompletion,
};

function addInit(cli: CliContext): void {
  cli.program
    .command('init')
    .helpGroup(FILES)
    .summary('write a first workflow')
    .description(
      'Writes a workflow that runs right away and needs no key: its models are simulated, one of them fails, and the failure is handled. An existing file is never overwritten.',
    )
    .argument('[file]', 'the file to write', 'workflow.yaml')
    .addOption(formatOption(['text', 'json']))
    .addOption(quietOption('print only the name of the file'))
    .addOption(verboseOption())
    .addHelpText('after', examples('errand init', 'errand init triage.yaml'))
    .action(async (file: string) => {
      const { init } = await import('../commands/init.ts');
      process.exitCode = init(file, cli.output, cli.terminal);
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
      'Has a model write a workflow file for a goal. A draft that is not valid goes back to the model with its errors, at most twice; only a valid file is written or printed. Drafting is a run like any other: it is stored, can be resumed, and has its costs.',
    )
    .argument('<goal>', 'what the workflow is for, in a sentence or more')
    .option('--model <provider/model>', 'the model that writes it; default: ERRAND_MODEL')
    .option('--out <file>', 'write to this file instead of stdout; an existing file is refused')
    .option('--simulate <file>', 'the replies of a sim/ model: a list, as in `runtime.simulate`')
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
  /** False: load no code of the files. */
  readonly modules?: boolean;
  readonly from?: 'conductor';
}

function addValidate(cli: CliContext): void {
  cli.program
    .command('validate')
    .helpGroup(FILES)
    .summary('check workflow files before running them')
    .description(
      'Checks workflow files and the workflows they call: form, names, routes, which errors each node can raise and which route handles each, and the worst-case cost. It runs no node and starts no server, but it loads the modules and extensions that a file names, which runs their code: use --no-modules for files that you do not trust.',
    )
    .argument('<file...>', 'workflow files')
    .option(
      '--strict',
      'warnings, and kinds that use the default without `on_unhandled`, make a file invalid',
    )
    .option('--no-modules', 'load no module and no extension, and do not check what they export')
    .addOption(providerOption())
    .addOption(
      new Option(
        '--from <engine>',
        'also list the keys of that engine which Errand refuses or does not use',
      ).choices(['conductor']),
    )
    .addOption(formatOption(['text', 'json']))
    .addOption(quietOption('print only what makes a file invalid'))
    .addOption(verboseOption())
    .addHelpText(
      'after',
      examples(
        'errand validate triage.yaml',
        'errand validate --strict --format json workflows/*.yaml',
        'errand validate --no-modules pull-request.yaml',
        'errand validate --from conductor --provider sim review.yaml',
      ),
    )
    .action(async (files: string[], { strict, modules, from }: ValidateFlags) => {
      const { validate } = await import('../commands/validate.ts');
      const options = {
        ...cli.output,
        strict: strict === true,
        modules: modules !== false,
        ...(from === undefined ? {} : { from }),
      };
      process.exitCode = await validate(files, options, cli.terminal);
    });
}

function addSchema(cli: CliContext): void {
  cli.program
    .command('schema')
    .helpGroup(FILES)
    .summary('print the JSON Schema of workflow files')
    .description(
      'Prints the JSON Schema (draft-07) of workflow files, or of rehearsal plans. Editors use it to complete a file whose first line is a yaml-language-server comment that names it.',
    )
    .option('--rehearsal', 'the schema of plans for `errand rehearse`')
    .addOption(onlyJsonOption())
    .addOption(verboseOption())
    .addHelpText(
      'after',
      examples(
        'errand schema > workflow.schema.json',
        'errand schema --rehearsal > rehearsal.schema.json',
      ),
    )
    .action(async ({ rehearsal }: { readonly rehearsal?: boolean }) => {
      const { schema } = await import('../commands/schema.ts');
      process.exitCode = schema(cli.terminal, { isOfRehearsal: rehearsal === true });
    });
}

function addClassify(cli: CliContext): void {
  cli.program
    .command('classify')
    .helpGroup(SETUP)
    .summary('classify a provider failure')
    .description(
      'Reads a failure as JSON from standard input and prints its kind, its category and whether a retry helps. Its fields: {"id", "provider", "api", "operation", "status", "headers", "body", "transport", "stream"}; at least one of status, body and transport is required.',
    )
    .option('--jsonl', 'read one failure per line; a bad line gives an error on its own line')
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
      // with an encoding set, the stream yields strings
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
      'Serves simulated models behind the protocols of OpenAI (chat and responses), Anthropic and Gemini, so that any client can be tested against them. Ctrl-C stops it.',
    )
    .option('--port <number>', 'the port; 0 picks a free one', '0')
    .option('--host <address>', 'the address to listen on', '127.0.0.1')
    .option('--script <file>', 'the replies of the models: YAML, as in `runtime.simulate`')
    .option('--corpus <file>', 'recorded failures (JSONL) that a script can name by id')
    .addOption(formatOption(['text', 'json']))
    .addOption(quietOption('print only the addresses, not a line for each request'))
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
      process.exitCode = await simulate({ ...options, ...cli.output }, cli.terminal);
    });
}

function addDoctor(cli: CliContext): void {
  cli.program
    .command('doctor')
    .helpGroup(SETUP)
    .summary('check the set-up of this machine and project')
    .description(
      'Checks Node, the store, which keys are set (their names, never their values) and which provider packages are installed. It sends nothing unless --online is given.',
    )
    .option('--online', 'also check that the providers whose keys are set can be reached')
    .addOption(formatOption(['text', 'json']))
    .addOption(quietOption('print only problems'))
    .addOption(verboseOption())
    .addHelpText('after', examples('errand doctor', 'errand doctor --online --format json'))
    .action(async ({ online }: { readonly online?: boolean }) => {
      const { doctor } = await import('../commands/doctor.ts');
      const options = { ...cli.output, online: online === true };
      process.exitCode = await doctor(options, cli.terminal);
    });
}

function addCompletion(cli: CliContext): void {
  cli.program
    .command('completion')
    .helpGroup(SETUP)
    .summary('print a completion script for a shell')
    .description(
      'Prints a script with which a shell completes commands, options, files, kinds and the runs of this project.',
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
