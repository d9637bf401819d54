/** The `runtime` block: which models, which servers, and what simulated models answer. */
import { FETCH_METHODS } from '../model.ts';
import { modelSchema } from './model.ts';
import { simulateSchema } from './simulate.ts';
import {
  choice,
  either,
  flag,
  list,
  map,
  matching,
  number,
  scalar,
  seconds,
  strict,
  text,
  wholeNumber,
  type FromFile,
} from './leaf.ts';

const provider = strict(
  '`provider`',
  'The provider of models that name none, and how to reach it.',
  {
    name: text('Its name, such as openai or anthropic.'),
    base_url: text('Where it answers, if not at its usual address.').optional(),
    api_key: text('Its key; write ${VAR}, which stays out of what is stored.').optional(),
    api_key_command: list(
      'A program that prints the key, and its arguments; run when a key is needed, and once more when that one is refused.',
      scalar('The program, or an argument.'),
      1,
    ).optional(),
    headers: map('Headers of every request.', scalar('A header.')).optional(),
  },
);

const toolSettings = strict('tool settings', 'What Errand cannot know of a tool of a server.', {
  writes: flag('Whether it changes something; such a tool must be named by a node.').optional(),
  idempotent: flag('Whether it may be repeated when its outcome is unknown.').optional(),
  timeout_seconds: seconds('How long one call may take.').optional(),
});

const mcpServer = strict('an MCP server', 'A server whose tools agents and tool nodes may use.', {
  type: choice('How to talk to it. Default: stdio.', ['stdio', 'http', 'sse']).optional(),
  command: text('The program of a stdio server.').optional(),
  args: list('Its arguments.', scalar('An argument.')).optional(),
  env: map('Its environment.', scalar('A value.')).optional(),
  url: text('The address of an http or sse server.').optional(),
  headers: map('Headers of every request.', scalar('A header.')).optional(),
  timeout_seconds: seconds('How long one call may take, unless the tool has its own.').optional(),
  tools: list('The tools that count; ["*"] for all, the default.', text('A tool.')).optional(),
  tool_settings: map('Settings by tool.', toolSettings).optional(),
});

const HOST_PATTERN =
  '^(https?://)?((\\*\\.)?[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?|\\[[0-9A-Fa-f:.]+\\])(:[0-9]{1,5})?$';

const host = matching(
  'A host. HTTPS, unless it begins with http://.',
  HOST_PATTERN,
  'a host, such as api.example.com, *.example.com or http://host:port',
);

const httpFetch = strict(
  '`http_fetch`',
  'Gives nodes and agents the tool http_fetch, for these hosts.',
  {
    allow: list('Hosts that may be asked, also by a redirect.', host, 1),
    allow_private: list(
      'Of those, the ones that may be on this machine or its network. Default: none.',
      host,
    ).optional(),
    methods: list('Default: GET alone.', choice('A method.', FETCH_METHODS), 1).optional(),
    timeout_seconds: seconds('Of one call, its redirects included. Default: 30.').optional(),
    max_bytes: wholeNumber(
      'Of a body that is read; a longer one is a failure, unless the node says `on_truncated: keep`.',
      {
        min: 1,
        max: 100_000_000,
      },
    ).optional(),
  },
);

const modelTimeouts = strict(
  '`model_timeouts`',
  'How long models may be silent, whichever is asked.',
  {
    first_token_seconds: seconds('Until the first word of an answer. Default: 180.').optional(),
    idle_seconds: seconds('Between two words of it. Default: 120.').optional(),
    total_seconds: seconds('For the whole of it. Default: 900.').optional(),
  },
);

const USD_PER_MTOK = { min: 0, max: 1_000_000 } as const;

const simulatedPrice = strict(
  '`simulate_price_per_mtok`',
  'What a million simulated tokens cost.',
  {
    input: number('US dollars for a million tokens of input.', USD_PER_MTOK).optional(),
    output: number('US dollars for a million tokens of output.', USD_PER_MTOK).optional(),
  },
);

export const modelPrice = strict('a price', 'US dollars for a million tokens of a model.', {
  input_per_mtok: number('For a million tokens of input.', USD_PER_MTOK),
  output_per_mtok: number('For a million tokens of output.', USD_PER_MTOK),
  cache_read_per_mtok: number('For a million tokens read from a cache.', USD_PER_MTOK).optional(),
  cache_write_per_mtok: number('For a million tokens put in a cache.', USD_PER_MTOK).optional(),
});

export const runtimeSchema = strict('`runtime`', 'Which models and servers the workflow uses.', {
  provider: either('The provider of models that name none.', 'a name, or a map with `name`', [
    text('Its name, such as openai or anthropic.'),
    provider,
  ]).optional(),
  default_model: modelSchema
    .describe('The model of nodes that name none, or a fallback chain.')
    .optional(),
  temperature: number('Of every model call that has none of its own.', {
    min: 0,
    max: 2,
  }).optional(),
  max_tokens: wholeNumber('The longest answer, in tokens.', { min: 1, max: 10_000_000 }).optional(),
  model_timeouts: modelTimeouts.optional(),
  mcp_servers: map('MCP servers by name.', mcpServer).optional(),
  http_fetch: httpFetch.optional(),
  simulate: simulateSchema.optional(),
  simulate_price_per_mtok: simulatedPrice.optional(),
});

export type RuntimeFile = FromFile<typeof runtimeSchema>;
export type McpServerFile = FromFile<typeof mcpServer>;
export type FetchFile = FromFile<typeof httpFetch>;
export type PriceFile = FromFile<typeof modelPrice>;
