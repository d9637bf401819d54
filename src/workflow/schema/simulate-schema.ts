/** Replies of `sim/` models. Rules for combinations of keys are in `rules/header-rules.ts`. */
import { MAX_SECONDS } from '../plan/duration.ts';
import { simulatedKind } from './kind-schema.ts';
import {
  anyText,
  delay,
  either,
  flag,
  hinted,
  json,
  jsonMap,
  list,
  literal,
  map,
  number,
  scalar,
  strict,
  text,
  wholeNumber,
  type FromFile,
} from './leaf.ts';

const COUNT = { min: 0 } as const;

const usage = strict(
  '`usage`',
  'The tokens that are billed.',
  {
    input_tokens: wholeNumber('Tokens of the request.', COUNT).optional(),
    output_tokens: wholeNumber('Tokens of the reply.', COUNT).optional(),
    cached_tokens: wholeNumber(
      'Tokens of the request that were read from a cache.',
      COUNT,
    ).optional(),
    cache_write_tokens: wholeNumber(
      'Tokens of the request that were written to a cache.',
      COUNT,
    ).optional(),
    reasoning_tokens: wholeNumber('Tokens of the reply that are not shown.', COUNT).optional(),
  },
  {
    input_tokens: 1200,
    output_tokens: 80,
    cached_tokens: 1000,
    cache_write_tokens: 200,
    reasoning_tokens: 40,
  },
);

const fail = hinted(
  strict(
    '`fail`',
    'A failure: by kind, or as the response of a provider.',
    {
      kind: simulatedKind.optional(),
      message: text('The message of the provider.').optional(),
      retry_after: number('The server’s hint, in seconds.', {
        min: 0,
        max: MAX_SECONDS,
      }).optional(),
      provider: text('The provider that responds.').optional(),
      status: wholeNumber('The HTTP status.', { min: 100, max: 599 }).optional(),
      headers: map('Headers of the response.', scalar('A header.')).optional(),
      body: json('The body of the response.').optional(),
    },
    {
      kind: 'provider.rate_limited',
      message: 'Slow down',
      retry_after: 2,
      provider: 'openai',
      status: 429,
      headers: { 'retry-after': '2' },
      body: { error: { code: 'insufficient_quota' } },
    },
  ),
  { oneOf: [{ required: ['kind'] }, { required: ['status'] }] },
);

const toolCall = strict(
  'a simulated tool call',
  'A tool that the model calls.',
  {
    name: text('The tool.'),
    arguments: jsonMap('Its arguments.').optional(),
  },
  { name: 'search', arguments: { text: 'refund' } },
);

export const SIMULATED = ['fail', 'stream', 'tool_calls', 'answer', 'hang'] as const;

const entry = hinted(
  strict(
    'a simulated reply',
    'One reply of a simulated model.',
    {
      fail: fail.optional(),
      stream: list('Pieces of text, one after the other.', anyText('A piece.')).optional(),
      cut: flag('Whether the connection breaks after the stream. Default: false.').optional(),
      tool_calls: list('Tools that the model calls.', toolCall, 1).optional(),
      answer: json('The reply: text or JSON.').optional(),
      hang: literal(
        'Accepts the request and sends nothing until the caller gives up.',
        true,
      ).optional(),
      lose_reply: flag(
        'Whether the work is done but the connection breaks before the reply. Default: false.',
      ).optional(),
      when: text(
        'Only for prompts that contain this text, in upper or lower case. Such entries come before the others, as often as they match.',
      ).optional(),
      usage: usage.optional(),
      delay: delay('How long it takes. Default: 0.').optional(),
    },
    {
      stream: ['It is ', 'a bug'],
      answer: { label: 'bug' },
      when: 'refund',
      delay: '500ms',
    },
  ),
  {
    id: 'simulatedAnswer',
    description: 'One reply of a simulated model.',
    oneOf: SIMULATED.map((key) => ({ required: [key] })),
    dependencies: { cut: ['stream'] },
  },
);

/** A path is replaced by the list in that file before validation; editors still see the path. */
export const simulateSchema = map(
  'The replies of sim/ models, by name: the n-th request of a node gets the n-th entry, and the last one repeats.',
  either('The replies in order, or the path of a file that contains them.', 'a list, or a path', [
    list('The replies in order.', entry, 1),
    text('The path of a YAML file with the list.'),
  ]),
);

export type SimulatedFile = FromFile<typeof entry>;
