/**
 * Starts OpenTelemetry's SDK for a command, and sends the collected data before the command ends.
 */
import { isKind } from '../../errors/thrown/errand-error.ts';
import { oneLine } from '../../errors/support/printable.ts';
import { startSdk } from '../../telemetry/otel/start-sdk.ts';
import type { CliContext } from '../program/cli-context.ts';
import { configured, reportOf } from '../report-of.ts';

/** They end within ten seconds of a signal, with all that they execute. */
const SERVERS: ReadonlySet<string> = new Set(['serve', 'mcp']);

export function beginTelemetry(cli: CliContext, command: string): void {
  try {
    const sdk = startSdk(process.env, process.cwd(), { isServer: SERVERS.has(command) });
    if (sdk === undefined) return;
    cli.endTelemetry = async () => {
      const problem = await sdk.stop();
      if (problem === undefined) return;
      warn(cli, command, problem);
      // abandoned requests would keep the process alive
      await cli.terminal.drained();
      process.exit();
    };
  } catch (thrown) {
    // settings that the SDK refuses; the command itself is not affected
    const { message, action } = reportOf(thrown);
    const advice = isKind(thrown, 'validation.input') ? `. ${action.detail}` : '';
    warn(cli, command, `${message}${advice}`);
  }
}

function warn({ terminal }: CliContext, command: string, problem: string): void {
  terminal.err(`errand ${command}: ${oneLine(configured().text(problem))}`);
}
