/** The commands that remove runs: `delete` and `prune`. */
import { Option } from 'commander';
import { examples, formatOption, quietOption, verboseOption, type CliContext } from './context.ts';

const GROUP = 'Remove runs:';

export function addRemovingCommands(cli: CliContext): void {
  addDelete(cli);
  addPrune(cli);
}

function addDelete(cli: CliContext): void {
  cli.program
    .command('delete')
    .helpGroup(GROUP)
    .summary('remove a run for good')
    .description(
      'Removes a run with its log, its checkpoints and its files, also one that is paused, failed or damaged. A run that another process carries on is refused: cancel it first. What stays is its id, its workflow, and when and by whom it was removed.',
    )
    .argument('<run>', 'the id of a run, as `errand runs` lists it')
    .addOption(formatOption(['text', 'json']))
    .addOption(quietOption('print nothing when it is done'))
    .addOption(verboseOption())
    .addHelpText('after', examples('errand delete 3f0c7a529b1e4d0c8a7bve5f'))
    .action(async (id: string) => {
      const { deleteRun } = await import('../commands/delete.ts');
      process.exitCode = await deleteRun(id, cli.telling, cli.terminal);
    });
}

function addPrune(cli: CliContext): void {
  cli.program
    .command('prune')
    .helpGroup(GROUP)
    .summary('remove old runs')
    .description(
      'Lists the runs that are completed, failed or cancelled and old enough; with --yes it removes them, as `errand delete` does. What is paused or interrupted is removed only when --status names it, and what is carried on never.',
    )
    .option('--older-than <age>', 'over for at least this long: 12h, 30d, 8w')
    .addOption(
      new Option('--status <status>', 'only these').choices([
        'completed',
        'failed',
        'cancelled',
        'paused',
        'interrupted',
      ]),
    )
    .option('--workflow <name>', 'only runs of this workflow')
    .option('--yes', 'remove them; without it nothing is removed')
    .addOption(formatOption(['text', 'json']))
    .addOption(quietOption('print only their ids'))
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
        process.exitCode = await prune({ ...options, ...cli.telling }, cli.terminal);
      },
    );
}
