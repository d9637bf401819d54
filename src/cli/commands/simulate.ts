/** `errand simulate`: serves simulated models with the protocols of the large providers, on this machine. */
import { jsonText, oneLine } from '../../errors/support/printable.ts';
import { createRedactor } from '../../errors/redaction/redact.ts';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { readProperty } from '../../errors/support/safe-json.ts';
import { readCorpus } from '../../simulator-server/corpus.ts';
import { loadScript } from '../../simulator-server/reply-script.ts';
import {
  startSimulator,
  type RequestRecord,
  type ServerOptions,
  type SimulatorServer,
} from '../../simulator-server/start.ts';
import { refusal } from '../exit.ts';
import type { Format } from '../format.ts';
import { portOf } from '../port-option.ts';
import { nodeFiles } from '../../engine/loading/node-files.ts';
import type { Terminal } from '../terminal.ts';

export interface SimulateOptions {
  /** As typed; default: a free one. */
  readonly port?: string;
  /** Default: 127.0.0.1. */
  readonly host?: string;
  /** Default: every model replies with a value that fits the schema. */
  readonly script?: string;
  /** Recorded failures that a script can name by id. */
  readonly corpus?: string;
  readonly format?: Format;
  /** No line for each request. */
  readonly quiet?: boolean;
}

const SHAPES = createRedactor();

/** Serves until a signal ends it. */
export async function simulate(options: SimulateOptions, terminal: Terminal): Promise<number> {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const stop = (): void => end();
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  try {
    const server = await open({
      ...serverOptions(options),
      ...(options.quiet === true
        ? {}
        : { onRequest: (record: RequestRecord) => terminal.err(lineOf(record)) }),
    });
    terminal.out(
      options.format === 'json' ? jsonText(addressesOf(server.url), 2) : addressText(server.url),
    );
    await ended;
    await server.close();
    return 0;
  } finally {
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
  }
}

function serverOptions({ port, host, script, corpus }: SimulateOptions): ServerOptions {
  const files = nodeFiles(process.cwd());
  return {
    ...(port === undefined ? {} : { port: portOf(port) }),
    ...(host === undefined ? {} : { host }),
    ...(script === undefined ? {} : { script: loadScript(script, files, process.env) }),
    ...(corpus === undefined ? {} : { corpus: corpusIn(corpus, files) }),
  };
}

function corpusIn(
  path: string,
  files: ReturnType<typeof nodeFiles>,
): ReturnType<typeof readCorpus> {
  const content = files.read(files.resolve('', path));
  if (content.ok) return readCorpus(content.text);
  throw refusal(
    `Cannot read the corpus ${path}: ${content.reason}`,
    'Give a file of failures, one JSON object with an `id` per line.',
  );
}

async function open(options: ServerOptions): Promise<SimulatorServer> {
  try {
    return await startSimulator(options);
  } catch (cause) {
    const { host = '127.0.0.1', port = 0 } = options;
    const code = readProperty(cause, 'code');
    const why = code === 'EADDRINUSE' ? 'the port is in use' : `system error ${String(code)}`;
    throw new ErrandError(
      {
        kind: 'validation.input',
        message: `The simulator cannot listen on ${host}, port ${port}: ${why}`,
        action: {
          kind: 'change_input',
          detail: 'Choose another port or host; port 0 picks a free one.',
        },
      },
      { cause },
    );
  }
}

/** The variables to set for each client library. */
function addressesOf(url: string): Readonly<Record<string, string>> {
  return {
    OPENAI_BASE_URL: `${url}/v1`,
    ANTHROPIC_BASE_URL: url,
    GOOGLE_GEMINI_BASE_URL: url,
  };
}

function addressText(url: string): string {
  return [
    ...Object.entries(addressesOf(url)).map(([name, address]) => `${name}=${address}`),
    `# AI SDK (baseURL): openai ${url}/v1, anthropic ${url}/v1, google ${url}/v1beta`,
    '# Any key works.',
  ].join('\n');
}

function lineOf(record: RequestRecord): string {
  const { number, path, protocol, model, ordinal, isStream, ending, status, usage } = record;
  const asked =
    protocol === undefined
      ? path
      : `${protocol} ${model ?? ''} #${(ordinal ?? 0) + 1}${isStream ? ' stream' : ''}`;
  const { inputTokens = 0, outputTokens = 0 } = usage;
  const tokens = inputTokens + outputTokens === 0 ? '' : `, ${inputTokens}+${outputTokens} tokens`;
  const line = `${number} ${asked}: ${ending}${status === undefined ? '' : ` ${status}`}${tokens}`;
  // the text comes from the client, and may contain a key by mistake
  return oneLine(SHAPES.text(line));
}
