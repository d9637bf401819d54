/** The command `rehearse`: every bad day of a workflow, before production. */
import { Option } from 'commander';
import type { RehearseFlags } from '../commands/rehearse.ts';
import {
  collect,
  examples,
  formatOption,
  providerOption,
  quietOption,
  verboseOption,
  type CliContext,
} from './cli-context.ts';

/** The flags as given; all commands share the other flags. */
interface GivenFlags extends Omit<RehearseFlags, 'inputs' | keyof CliContext['output']> {
  readonly set?: readonly string[];
  readonly provider?: string;
}

export function addRehearseCommand(cli: CliContext): void {
  cli.program
    .command('rehearse')
    .helpGroup('Write workflows:')
    .summary('play every failure of a workflow before production')
    .description(
      'Plays a workflow in a simulated world, once for each failure that each node can have: every error route, every answer of a person, every crash. It calls no model, tool, function or script, waits for nothing, and writes only what --record and --report name. A file with the key `rehearse` is a plan; without one the scenarios come from what `errand validate` knows.',
    )
    .argument('<file...>', 'workflow files, or plans')
    .addOption(new Option('-i, --set <name=value>', 'an input; may be repeated').argParser(collect))
    .option('--only <text>', 'play only scenarios whose name contains the text')
    .option('--min <figures>', 'the least that must be covered, in percent: routes=100,kinds=90')
    .option('--crashes <which>', 'crash points to play: all, sample:N or none; default: sample:200')
    .option('--mutants', 'also change routes, and count the changes that the rehearsal notices')
    .option('--storm <number>', 'also play so many stormy worlds, for our own promises')
    .option('--seed <number>', 'chooses crash points and storms', '1')
    .addOption(new Option('--record', 'write what every scenario did').conflicts('check'))
    .option('--check', 'compare with the record')
    .addOption(
      new Option(
        '--report <form=file>',
        'write a report: junit, lcov or sarif; may be repeated',
      ).argParser(collect),
    )
    .addOption(providerOption())
    .addOption(formatOption(['text', 'json']))
    .addOption(quietOption('print only what is wrong'))
    .addOption(verboseOption('print every scenario, and every step of those that --only names'))
    .addHelpText(
      'after',
      examples(
        'errand rehearse orders.yaml',
        'errand rehearse orders.yaml --min routes=100,moves=100 --report junit=rehearsal.xml',
        'errand rehearse orders.yaml --only "refund: payment.declined" --verbose',
        'errand rehearse orders.rehearsal.yaml --check',
      ),
    )
    .action(async (files: string[], flags: GivenFlags) => {
      const { rehearse } = await import('../commands/rehearse.ts');
      const { set: inputs = [], provider: _provider, ...rest } = flags;
      process.exitCode = await rehearse(files, { ...rest, inputs, ...cli.output }, cli.terminal);
    });
}
