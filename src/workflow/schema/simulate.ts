/** What `sim/` models answer. Which keys of an entry exclude each other is in `header-rules.ts`. */
import { MAX_SECONDS } from '../duration.ts';
import { simulatedKind } from './kinds.ts';
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

const usage = strict('`usage`', 'The tokens that are billed.', {
  input_tokens: wholeNumber('Tokens of the request.', COUNT).optional(),
  output_tokens: wholeNumber('Tokens of the answer.', COUNT).optional(),
  cached_tokens: wholeNumber('Of the request, those read from a cache.', COUNT).optional(),
  cache_write_tokens: wholeNumber('Of the request, those put in a cache.', COUNT).optional(),
  reasoning_tokens: wholeNumber('Of the answer, those nobody sees.', COUNT).optional(),
});

const fail = hinted(
  strict('`fail`', 'A failure: by kind, or as a provider would answer.', {
    kind: simulatedKind.optional(),
    message: text('What the provider says.').optional(),
    retry_after: number('The server’s hint, in seconds.', { min: 0, max: MAX_SECONDS }).optional(),
    provider: text('Whose answer this is.').optional(),
    status: wholeNumber('The HTTP status.', { min: 100, max: 599 }).optional(),
    headers: map('Headers of the answer.', scalar('A header.')).optional(),
    body: json('The body of the answer.').optional(),
  }),
  { oneOf: [{ required: ['kind'] }, { required: ['status'] }] },
);

const toolCall = strict('a simulated tool call', 'A tool that the model asks for.', {
  name: text('The tool.'),
  arguments: jsonMap('Its arguments.').optional(),
});

export const SIMULATED = ['fail', 'stream', 'tool_calls', 'answer', 'hang'] as const;

const entry = hinted(
  strict('a simulated answer', 'One answer of a simulated model.', {
    fail: fail.optional(),
    stream: list('Pieces of text, one after the other.', anyText('A piece.')).optional(),
    cut: flag('Whether the connection breaks after the stream. Default: false.').optional(),
    tool_calls: list('Tools that the model asks for.', toolCall, 1).optional(),
    answer: json('The answer: text or JSON.').optional(),
    hang: literal(
      'Takes the request and says nothing, until whoever asked gives up.',
      true,
    ).optional(),
    lose_reply: flag(
      'Whether the work is done and the connection breaks instead of the answer. Default: false.',
    ).optional(),
    when: text(
      'Only where the prompt holds this text, in any case. Such entries come before the others, as often as they fit.',
    ).optional(),
    usage: usage.optional(),
    delay: delay('How long it takes.').optional(),
  }),
  {
    id: 'simulatedAnswer',
    description: 'One answer of a simulated model.',
    oneOf: SIMULATED.map((key) => ({ required: [key] })),
    dependencies: { cut: ['stream'] },
  },
);

/** A path is replaced by the list in that file before a schema sees it; editors still meet paths. */
export const simulateSchema = map(
  'What sim/ models answer, by name: the n-th request of a node gets the n-th entry, the last one repeats.',
  either('The answers in order, or the path of a file that holds them.', 'a list, or a path', [
    list('The answers in order.', entry, 1),
    text('The path of a YAML file with the list.'),
  ]),
);

export type SimulatedFile = FromFile<typeof entry>;
