/** The commands that transfer runs between stores: `export` and `import`. */
import {
  examples,
  formatOption,
  quietOption,
  verboseOption,
  type CliContext,
  type Commands,
} from './cli-context.ts';

const GROUP = 'Move runs:';

export const TRANSFER_COMMANDS: Commands = {
  export: addExport,
  import: addImport,
};

function addExport(cli: CliContext): void {
  cli.program
    .command('export')
    .helpGroup(GROUP)
    .summary('write a run to one file')
    .description(
      'Writes a run with its log and its plan to one file, for a backup or a bug report. Errand removes the secrets that it knows; inputs, prompts and outputs stay in the file.',
    )
    .argument('<run>', 'the id of a run, as `errand runs` lists it')
    .option('-o, --output <file>', 'the file to write; default: stdout')
    .addOption(quietOption('print nothing on success'))
    .addOption(verboseOption())
    .addHelpText('after', examples('errand export 3f0c7a529b1e4d0c8a7bve5f --output run.jsonl'))
    .action(async (id: string, options: { readonly output?: string }) => {
      const { exportRun } = await import('../commands/export.ts');
      process.exitCode = await exportRun(id, { ...options, ...cli.output }, cli.terminal);
    });
}

function addImport(cli: CliContext): void {
  cli.program
    .command('import')
    .helpGroup(GROUP)
    .summary('import a run from a file')
    .description(
      'Imports a run from a file that `errand export` wrote, into the store of this project. Errand checks the file first: if it is damaged, cut short or holds no events of a run, Errand refuses it and writes nothing. The digest shows damage, not forgery: import only files that you trust. The import executes no effect of the run.',
    )
    .argument('<file>', 'a file that `errand export` wrote; - reads standard input')
    .addOption(formatOption(['text', 'json']))
    .addOption(quietOption('print nothing on success'))
    .addOption(verboseOption())
    .addHelpText('after', examples('errand import run.jsonl'))
    .action(async (file: string) => {
      const { importRun } = await import('../commands/import.ts');
      process.exitCode = await importRun(file, cli.output, cli.terminal);
    });
}
