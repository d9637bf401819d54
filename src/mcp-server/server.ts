/** One server of the protocol over the runs of a host: it lists tools and answers calls. */
import { VERSION } from '../engine/version.ts';
import { oneLine } from '../errors/support/printable.ts';
import { carrierInMeta, type TraceCarrier } from '../machine/ports/trace-carrier.ts';
import { callerOf, type TokenHolder } from './caller.ts';
import { callTool, listTools } from './call-tool.ts';
import type { CallsUnderWay } from './calls-under-way.ts';
import type { McpHost } from './host.ts';
import { Progress, progressTokenIn } from './progress.ts';
import type { Era, McpServerSdk, SdkServer } from './sdk.ts';

const INSTRUCTIONS = `Errand runs workflows. A tool that starts one gives a run: an id, a status, and nextMoves, the calls that are possible now.
A run outlives the call. While its status is running, read it again with get_run and wait_seconds; starting the workflow again would start another run. Give _key to a start that may be repeated.
A run that failed keeps its finished work: explain_failure says why it failed, resume_run continues it once the cause is mended. A paused run asks something: answer_question answers it, unless only a person may.`;

export interface ServerOptions {
  readonly sdk: McpServerSdk;
  readonly host: McpHost;
  readonly era: Era;
  readonly calls: CallsUnderWay;
  /** Whether its client learns that the list of tools has changed. */
  readonly announcesTools: boolean;
  /** Set over HTTP. */
  readonly holder?: TokenHolder | undefined;
  /** The trace context for calls that bring none. */
  readonly trace?: TraceCarrier | undefined;
}

export function createMcpServer(options: ServerOptions): SdkServer {
  const { sdk, host, era, calls, holder, announcesTools } = options;
  const server = sdk.newServer({
    version: VERSION,
    instructions: INSTRUCTIONS,
    announcesTools,
  });
  server.setRequestHandler('tools/list', async () => ({
    tools: await listTools(host, { isReader: holder?.isReader === true }),
  }));
  server.setRequestHandler('tools/call', async ({ params = {} }, context) => {
    const name = String(params['name']);
    const caller = callerOf(server, context, holder);
    const given = params['arguments'];
    const trace = carrierInMeta(params['_meta']) ?? options.trace;
    const progress = new Progress(host, { context, token: progressTokenIn(params['_meta']) });
    const call = { name, arguments: given, caller, era, context, trace, progress };
    const result = await calls.add(callTool(host, call));
    if (result !== undefined) return result;
    throw sdk.unknownTool(`There is no tool ${oneLine(name).slice(0, 80)}`);
  });
  return server;
}
