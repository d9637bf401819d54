/** The messages of a server that has lost its mind, over any transport. */
import { MAX_MESSAGE_BYTES } from '../../src/effects/mcp/split-lines.ts';

/** More than a chunk beyond the limit: a stream of events is measured by its chunks. */
const TOO_MANY_BYTES = MAX_MESSAGE_BYTES + 1024 * 1024;

interface Message {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: { readonly name?: string; readonly protocolVersion?: string };
}

export const RUBBISH = [
  'text',
  'number',
  'list',
  'nothing',
  'null',
  'both',
  'empty',
  'old',
  'error',
  'stranger',
  'huge',
  'digits',
  'asks',
  'asks more',
  'two words',
  'two values',
  'bytes',
] as const;

/** Stands for a byte that no text in UTF-8 has. */
const BAD_BYTE = '\uE0FF';

/** The text as bytes on the wire. */
export function bytesOf(text: string): Uint8Array {
  const [first = '', ...more] = text.split(BAD_BYTE).map((part) => Buffer.from(part));
  return Buffer.concat([Buffer.from(first), ...more.flatMap((part) => [Buffer.of(0xff), part])]);
}

/**
 * The answers that it still gets right; undefined for a call, and for messages that need no answer.
 */
export function sane({ id, method, params }: Message): object | undefined {
  if (method === 'initialize')
    return {
      jsonrpc: '2.0',
      id,
      result: {
        protocolVersion: params?.protocolVersion ?? '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'rubbish', version: '1.0.0' },
      },
    };
  if (method === 'tools/list') {
    const tools = [...RUBBISH, 'half', 'silent', 'meta', 'fine'].map((name) => ({
      name,
      inputSchema: { type: 'object' },
    }));
    return { jsonrpc: '2.0', id, result: { tools } };
  }
  const isUnknown = id !== undefined && method !== 'tools/call';
  return isUnknown
    ? { jsonrpc: '2.0', id, error: { code: -32_601, message: 'Method not found' } }
    : undefined;
}

/** Undefined for an answer that breaks off. */
export function rubbish({ id, params }: Message): string | undefined {
  const answer = (body: object): string => JSON.stringify({ jsonrpc: '2.0', id, ...body });
  switch (params?.name) {
    case 'text':
      return 'I am a teapot, and no JSON at all';
    case 'number':
      return answer({ result: 7 });
    case 'list':
      return answer({ result: { content: 'not a list' } });
    case 'nothing':
      return answer({});
    case 'null':
      return answer({ result: null });
    case 'both':
      return answer({ result: { content: [] }, error: { code: -32_000, message: 'no' } });
    case 'empty':
      return answer({ result: {} });
    case 'old':
      return answer({ result: { toolResult: 'as it once was' } });
    case 'asks':
      return answer({ result: { resultType: 'input_required', content: [] } });
    case 'asks more':
      return answer({ result: { resultType: 'input_required', inputRequests: {} } });
    case 'two words':
      return answer({ result: { isError: true, content: [] } }).replace(
        '"content"',
        '"isError":false,"content"',
      );
    case 'two values':
      return answer({ result: { content: [], structuredContent: { paid: 1 } } }).replace(
        '"paid":1',
        '"paid":1,"paid":2',
      );
    case 'bytes':
      return answer({ result: { content: [{ type: 'text', text: `paid ${BAD_BYTE}9` }] } });
    case 'silent':
      return answer({ result: { content: [] } });
    case 'error':
      return answer({ error: 'just a word' });
    case 'stranger':
      return JSON.stringify({ jsonrpc: '2.0', id: 99_999, result: { content: [] } });
    case 'huge':
      return answer({
        result: { content: [{ type: 'text', text: 'x'.repeat(TOO_MANY_BYTES) }] },
      });
    case 'digits':
      return answer({
        result: { content: [], structuredContent: { id: 'N' }, _meta: { at: 'N' } },
      }).replaceAll('"N"', '12345678901234567890');
    case 'meta':
      return answer({
        result: { content: [], structuredContent: { id: 1 }, _meta: { at: 'N' } },
      }).replaceAll('"N"', '12345678901234567890');
    case 'fine':
      return answer({ result: { content: [{ type: 'text', text: 'fine' }] } });
    default:
      return undefined;
  }
}
