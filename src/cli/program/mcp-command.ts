/** `errand mcp` with its options. */
import { withAllPackages } from '../guard/all-packages.ts';
import { examples, onlyJsonOption, verboseOption, type CliContext } from './cli-context.ts';

export function addMcpCommand(cli: CliContext): void {
  cli.program
    .command('mcp')
    .helpGroup('Run workflows:')
    .summary('serve workflows as tools of an MCP client')
    .description(
      'Serves workflow files as tools over standard input and output, for clients of the Model Context Protocol, and continues their runs. It needs @modelcontextprotocol/server. It stops when the client closes the input; running effects have 8 seconds to end.',
    )
    .argument('[files...]', 'workflow files, or folders that have some', [])
    .addOption(onlyJsonOption())
    .addOption(verboseOption())
    .addHelpText('after', examples('errand mcp', 'errand mcp workflows/'))
    .action(async (files: readonly string[]) => {
      const { mcp } = await withAllPackages(() => import('../commands/servers/mcp.ts'));
      process.exitCode = await mcp(files, cli.terminal);
    });
}
