/** A model of the application that replies by a script, and records its input. */
import { fileURLToPath } from 'node:url';
import type { JsonObject, JsonValue } from '../../src/errors/support/safe-json.ts';
import { requireSdks } from '../sdk-parity/install.ts';

/** The folder of the AI SDK, which talks to models of an application. */
export const SDKS = fileURLToPath(new URL('../sdks', import.meta.url));

export type Line =
  | string
  | readonly { readonly name: string; readonly arguments?: JsonObject | undefined }[];

export interface Spy {
  /** The model, for registration under any name. */
  readonly model: object;
  /** The content of each request as text: prompts, results of tools, and the tools themselves. */
  readonly shown: string[];
  /** The results of tools in the latest request, in order. */
  readonly results: () => readonly { readonly type: string; readonly value: JsonValue }[];
}

interface Part {
  readonly role: string;
  readonly content: readonly { readonly type: string; readonly output?: unknown }[];
}

const COUNT = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0, text: 1, reasoning: 0 };

/** A model that says one line after another, and repeats the last one. */
export function spyModel(...lines: readonly Line[]): Spy {
  requireSdks();
  const shown: string[] = [];
  let latest: readonly Part[] = [];
  const doStream = ({ prompt, tools }: { prompt: readonly Part[]; tools?: unknown }): object => {
    const line = lines[Math.min(shown.length, lines.length - 1)] ?? '';
    shown.push(JSON.stringify([prompt, tools ?? []]));
    latest = prompt;
    return Promise.resolve({ stream: ReadableStream.from(parts(line)) });
  };
  return {
    model: {
      specificationVersion: 'v4',
      provider: 'house',
      modelId: 'spy',
      supportedUrls: {},
      doGenerate: () => Promise.reject(new Error('not used')),
      doStream,
    },
    shown,
    results: () =>
      latest
        .filter(({ role }) => role === 'tool')
        .flatMap(({ content }) => content)
        .map(({ output }) => output as { type: string; value: JsonValue }),
  };
}

function* parts(line: Line): Iterable<object> {
  yield { type: 'stream-start', warnings: [] };
  if (typeof line === 'string') {
    yield { type: 'text-start', id: '1' };
    yield { type: 'text-delta', id: '1', delta: line };
    yield { type: 'text-end', id: '1' };
  } else
    for (const [index, call] of line.entries())
      yield {
        type: 'tool-call',
        toolCallId: `c${index}`,
        toolName: call.name,
        input: JSON.stringify(call.arguments ?? {}),
      };
  const unified = typeof line === 'string' ? 'stop' : 'tool-calls';
  yield {
    type: 'finish',
    usage: { inputTokens: COUNT, outputTokens: COUNT },
    finishReason: { unified, raw: unified },
  };
}
