/** `errand mcp`: workflows as tools of MCP clients, over standard input and output, until the input is closed. */
import { oneLine } from '../../../errors/support/printable.ts';
import { carrierInEnvironment } from '../../../machine/ports/trace-carrier.ts';
import { loadMcpServerSdk } from '../../../mcp-server/sdk.ts';
import { serveStdio } from '../../../mcp-server/stdio.ts';
import { mcpHost } from '../../../server/mcp-host.ts';
import { RunHost } from '../../../server/run-host.ts';
import { logFileNotes } from '../../../server/workflows/file-notes.ts';
import { Stopping } from '../../guard/stopping.ts';
import { createHome } from '../../project/home.ts';
import { hostedEngine } from '../../project/project.ts';
import { loggedTo, RunJournals } from '../../session/run-journals.ts';
import type { Terminal } from '../../terminal.ts';

export async function mcp(files: readonly string[], terminal: Terminal): Promise<number> {
  const log = (line: string): void => terminal.err(`errand mcp: ${oneLine(line)}`);
  const directory = process.cwd();
  const sdk = loadMcpServerSdk(directory);
  const home = createHome(process.env, directory);
  const journals = new RunJournals({ home, warn: log });
  const host = new RunHost({
    files,
    onLog: log,
    onEvent: loggedTo(journals, terminal),
    engine: hostedEngine(home),
  });
  const stopping = new Stopping();
  try {
    // reports a store that cannot be used before anybody calls
    await host.open();
    const serving = serveStdio(
      { sdk, host: mcpHost(host.core) },
      {
        input: process.stdin,
        write: (line) => terminal.out(line),
        onProblem: log,
        trace: carrierInEnvironment(process.env),
      },
    );
    // nothing more is written to a client that is gone: each failed write would count as a signal
    process.stdout.once('error', () => void serving.close());
    log('serving on standard input and output');
    await logFileNotes(host.core.workflows, log);
    await Promise.race([stopping.asked, serving.closed]);
    serving.stop();
    host.stop();
    await serving.settled();
    await host.close();
    await serving.close();
    return 0;
  } catch (thrown) {
    await host.close();
    throw thrown;
  } finally {
    stopping.off();
    process.stdin.destroy();
  }
}
