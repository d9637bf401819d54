/** `errand serve` with its options. */
import { withAllPackages } from '../guard/all-packages.ts';
import { collect, examples, formatOption, verboseOption, type CliContext } from './cli-context.ts';
import type { ServeFlags } from '../commands/servers/serve.ts';

export function addServeCommand(cli: CliContext): void {
  cli.program
    .command('serve')
    .helpGroup('Run workflows:')
    .summary('serve workflows over HTTP')
    .description(
      'Serves workflow files over HTTP until it is stopped, and continues their runs. Tokens are set with ERRAND_TOKENS or ERRAND_TOKEN; without either, one is made and printed. Ctrl-C gives running effects 8 seconds to end.',
    )
    .argument('[files...]', 'workflow files, or folders that have some', [])
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <number>', 'port to listen on; 0 takes a free one', '4242')
    .option('--allow-host <name>', 'a name that requests may use as Host; repeatable', collect)
    .option('--allow-origin <origin>', 'an origin whose pages may use the API; repeatable', collect)
    .option('--allow-edit', 'let callers with the role edit replace workflow files')
    .option('--read-only', 'let nobody change anything, and resume nothing unasked')
    .option('--max-runs <number>', 'how many runs are executed at a time')
    .option(
      '--webhook <url>',
      'an address that gets a message for each change of a run; repeatable',
      collect,
    )
    .option('--public-url <url>', 'the address under which people reach the server')
    .option('--open', 'open the page in a browser')
    .addOption(formatOption(['text', 'json']))
    .addOption(verboseOption())
    .addHelpText(
      'after',
      examples(
        'errand serve',
        'errand serve workflows/ --port 8080',
        'ERRAND_TOKENS=ada:SECRET:run errand serve --host 0.0.0.0 --public-url https://errand.example',
      ),
    )
    .action(async (files: readonly string[], flags: ServeFlags) => {
      const { serve } = await withAllPackages(() => import('../commands/servers/serve.ts'));
      process.exitCode = await serve(files, flags, cli.terminal);
    });
}
