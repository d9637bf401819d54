/** One failure has one classification: `errandMiddleware` and `resilientModel` say the same of it. */
import type { LanguageModelV4StreamPart as Part } from '@ai-sdk/provider';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import * as provider from '../sdks/node_modules/@ai-sdk/provider/dist/index.js';
import { wrapLanguageModel } from '../sdks/node_modules/ai/dist/index.js';
import { errandMiddleware, resilientModel } from '../../src/ai-sdk/index.ts';
import { ErrandError } from '../../src/errors/thrown/errand-error.ts';
import { runs } from '../runs.ts';
import {
  apiError,
  FROZEN,
  limited,
  overloaded,
  quota,
  refusedKey,
  scripted,
  type Turn,
} from './models.cases.ts';

const offSchema = (value: unknown): unknown =>
  new provider.TypeValidationError({ value, cause: new Error('no such shape') });

const PARTS: readonly Part[] = [
  { type: 'stream-start', warnings: [] },
  { type: 'response-metadata', id: 'r1' },
  { type: 'custom', kind: 'anthropic.message_start' },
  { type: 'text-start', id: '1' },
  { type: 'text-delta', id: '1', delta: '' },
  { type: 'text-delta', id: '1', delta: 'half' },
  { type: 'reasoning-start', id: '2' },
  { type: 'reasoning-delta', id: '2', delta: 'Hm.' },
  { type: 'tool-input-start', id: '3', toolName: 'pay' },
  { type: 'tool-input-delta', id: '3', delta: '{' },
  { type: 'tool-call', toolCallId: '3', toolName: 'pay', input: '{}' },
  { type: 'source', sourceType: 'url', id: '4', url: 'https://example.com' },
  { type: 'file', mediaType: 'text/plain', data: { type: 'data', data: 'eA==' } },
  { type: 'raw', rawValue: {} },
];

/** A call that comes twice is a failure before the one that is drawn, and only a chain looks for it. */
const hasOneCall = (parts: readonly Part[]): boolean =>
  parts.filter(({ type }) => type === 'tool-call').length <= 1;

const failed = {
  type: 'response.failed',
  response: { status: 'failed', error: { code: 'rate_limit_exceeded', message: 'Slow down.' } },
};

const trap = (): never => {
  throw new Error('trap');
};

const FAILURES: readonly (() => unknown)[] = [
  overloaded,
  quota,
  refusedKey,
  () => limited(20),
  () => apiError(503, { error: { message: 'overloaded' } }),
  () => new TypeError('terminated'),
  () => Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNRESET' } }),
  () => offSchema({ choices: [] }),
  () => offSchema(failed),
  () => new provider.JSONParseError({ text: '{"a', cause: new Error('cut') }),
  () => new provider.EmptyResponseBodyError(),
  () => ({ type: 'overloaded_error', message: 'Overloaded' }),
  () => 'something',
  () => new Proxy(new Error('x'), { getPrototypeOf: trap }),
];

interface Said {
  readonly kind: string;
  readonly category: string | undefined;
  readonly retryable: boolean | null | undefined;
  readonly outcome: string | undefined;
}

async function saidBy(open: () => PromiseLike<{ stream: ReadableStream<Part> }>): Promise<Said> {
  let found: unknown;
  try {
    const { stream } = await open();
    for await (const part of stream) if (part.type === 'error') found = part.error;
  } catch (thrown) {
    found ??= thrown;
  }
  if (!(found instanceof ErrandError)) throw new Error('no error of ours', { cause: found });
  const { kind, category, retryable, outcome } = unwrapped(found);
  return { kind, category, retryable, outcome };
}

/** A chain of one that may not wait says so, and has the failure as its cause. */
function unwrapped({ report }: ErrandError) {
  const isChains = report.kind === 'provider.exhausted' || report.kind === 'limit.node_timeout';
  return isChains ? (report.cause ?? report) : report;
}

it('is the provider’s own, where it is in an event that fits no schema', async () => {
  const model = scripted('openai.responses', 'one', { parts: [], breaks: offSchema(failed) });
  const wrapped = wrapLanguageModel({ model, middleware: errandMiddleware() });
  const said = await saidBy(() => wrapped.doStream({ prompt: [] }));
  expect(said).toMatchObject({ kind: 'provider.rate_limited', retryable: true });
});

it('of one stream, both doors say the same', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...PARTS), { maxLength: 5 }).filter(hasOneCall),
      fc.constantFrom(...FAILURES),
      fc.constantFrom('thrown', 'part', 'end'),
      async (parts, failure, way) => {
        const error = failure();
        const turns: Record<typeof way, Turn> = {
          thrown: { thrown: error },
          part: { parts: [...parts, { type: 'error', error }] },
          end: { parts, breaks: error },
        };
        const model = () => scripted('openai.chat', 'one', turns[way]);
        const middleware = errandMiddleware();
        const wrapped = wrapLanguageModel({ model: model(), middleware });
        const chain = resilientModel([model()], { clock: FROZEN, deadlineMs: 1 });
        const [typed, chained] = await Promise.all([
          saidBy(() => wrapped.doStream({ prompt: [] })),
          saidBy(() => chain.doStream({ prompt: [] })),
        ]);
        expect(typed).toEqual(chained);
      },
    ),
    { numRuns: runs(400) },
  );
}, 60_000);
