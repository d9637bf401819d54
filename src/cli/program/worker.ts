/** `errand worker`, and the options that say where runs are, which every command about runs takes. */
import { Option } from 'commander';
import { sayWhere, type WhereFlags } from '../where-flags.ts';
import { examples, type CliContext } from './context.ts';

const GROUP = 'Run workflows:';

export function addWorkerCommand(cli: CliContext): void {
  const { program } = cli;
  program
    .addOption(new Option('--on <where>', 'where runs are carried on: local, or temporal'))
    .addOption(new Option('--address <host:port>', 'of the Temporal server; or TEMPORAL_ADDRESS'))
    .addOption(new Option('--namespace <name>', 'on that server; or TEMPORAL_NAMESPACE'))
    .addOption(new Option('--task-queue <name>', 'that its workers listen to'))
    .hook('preAction', () => sayWhere(program.opts<WhereFlags>()));
  program
    .command('worker')
    .helpGroup(GROUP)
    .summary('carry on runs of a Temporal server')
    .description(
      'Carries on the runs of one task queue of a Temporal server, until it is stopped. Workflow files, modules and scripts are those of the current folder. Ctrl-C lets what is under way end first.',
    )
    .option('--concurrency <number>', 'effects at one time', '100')
    .option('--drain <duration>', 'how long effects may take to end when it is stopped', '30s')
    .addHelpText(
      'after',
      examples(
        'errand worker',
        'errand worker --address temporal.example:7233 --namespace agents --task-queue triage',
        'errand worker --concurrency 20 --drain 5m',
      ),
    )
    .addHelpText(
      'after',
      '\nThe address, the namespace and the task queue may stand with every command:\n  errand run triage.yaml --on temporal --address temporal.example:7233',
    )
    .action(async (flags: { readonly concurrency: string; readonly drain: string }) => {
      const { worker } = await import('../commands/worker.ts');
      process.exitCode = await worker(flags, cli.terminal);
    });
}
