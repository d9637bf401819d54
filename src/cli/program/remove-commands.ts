/** The commands that remove runs: `delete` and `prune`. */
import { Option } from 'commander';
import {
  examples,
  formatOption,
  quietOption,
  verboseOption,
  type CliContext,
  type Commands,
} from './cli-context.ts';

const GROUP = 'Remove runs:';

export const REMOVE_COMMANDS: Commands = {
  delete: addDelete,
  prune: addPrune,
};

function addDelete(cli: CliContext): void {
  cli.program
    .command('delete')
    .helpGroup(GROUP)
    .summary('remove a run for good')
    .description(
      'Removes a run with its log, its checkpoints and its files, even if it is paused, failed or damaged. A run that another process is running is refused: cancel it first. Only its id, its workflow, and when and by whom it was removed are kept.',
    )
    .argument('<run>', 'the id of a run, as `errand runs` lists it')
    .addOption(formatOption(['text', 'json']))
    .addOption(quietOption('print nothing on success'))
    .addOption(verboseOption())
    .addHelpText('after', examples('errand delete 3f0c7a529b1e4d0c8a7bve5f'))
    .action(async (id: string) => {
      const { deleteRun } = await import('../commands/delete.ts');
      process.exitCode = await deleteRun(id, cli.output, cli.terminal);
    });
}

function addPrune(cli: CliContext): void {
  cli.program
    .command('prune')
    .helpGroup(GROUP)
    .summary('remove old runs')
    .description(
      'Lists the runs that are completed, failed or cancelled and old enough; with --yes, removes them as `errand delete` does. Paused or interrupted runs are removed only when --status names them, running ones never.',
    )
    .option('--older-than <age>', 'ended at least this long ago: 12h, 30d, 8w')
    .addOption(
      new Option('--status <status>', 'only runs with this status').choices([
        'completed',
        'failed',
        'cancelled',
        'paused',
        'interrupted',
      ]),
    )
    .option('--workflow <name>', 'only runs of this workflow')
    .option('--yes', 'remove them; without it, only list them')
    .addOption(formatOption(['text', 'json']))
    .addOption(quietOption('print only ids'))
    .addOption(verboseOption())
    .addHelpText(
      'after',
      examples(
        'errand prune --older-than 30d',
        'errand prune --older-than 30d --yes',
        'errand prune --status failed --workflow triage --format json',
      ),
    )
    .action(
      async (options: {
        readonly olderThan?: string;
        readonly status?: string;
        readonly workflow?: string;
        readonly yes?: boolean;
      }) => {
        const { prune } = await import('../commands/prune.ts');
        process.exitCode = await prune({ ...options, ...cli.output }, cli.terminal);
      },
    );
}
