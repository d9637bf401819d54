/** The `runtime` block: models, servers, and replies of simulated models. */
import { REASONING_EFFORTS } from '../plan/node-plan.ts';
import { FETCH_METHODS } from '../plan/plan.ts';
import { modelSchema } from './model-schema.ts';
import { simulateSchema } from './simulate-schema.ts';
import {
  choice,
  either,
  flag,
  jsonMap,
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
    base_url: text('Its address. Default: its usual one.').optional(),
    api_key: text(
      'Its key. Write ${VAR}: then the value is never stored. Default: the environment variable of the provider.',
    ).optional(),
    api_key_command: list(
      'A program that prints the key, and its arguments. Errand runs it when it needs a key, and once more when the provider refuses that key.',
      scalar('The program, or an argument.'),
      1,
    ).optional(),
    headers: map('Headers of every request.', scalar('A header.')).optional(),
  },
  {
    name: 'openai',
    base_url: 'https://models.example.com/v1',
    api_key: '${TEAM_KEY}',
    api_key_command: ['vault', 'read', 'openai-key'],
    headers: { 'x-team': 'support' },
  },
);

const toolSettings = strict(
  'tool settings',
  'Facts about a tool that its server does not declare.',
  {
    writes: flag(
      'Whether it changes something; a node must name such a tool. Default: the hint of the server.',
    ).optional(),
    idempotent: flag(
      'Whether it may be repeated when its outcome is unknown. Default: the hint of the server, else false.',
    ).optional(),
    timeout_seconds: seconds('How long one call may take. Default: that of the server.').optional(),
  },
  { timeout_seconds: 20 },
);

const mcpServer = strict(
  'an MCP server',
  'A server whose tools agents and tool nodes may use.',
  {
    type: choice('How to reach it. Default: stdio.', ['stdio', 'http', 'sse']).optional(),
    command: text('The program of a stdio server.').optional(),
    args: list('Its arguments.', scalar('An argument.')).optional(),
    env: map('Its environment.', scalar('A value.')).optional(),
    url: text('The address of an http or sse server.').optional(),
    headers: map('Headers of every request.', scalar('A header.')).optional(),
    timeout_seconds: seconds(
      'How long one call may take, for tools that do not set it. Default: 60.',
    ).optional(),
    tools: list(
      'The tools that nodes may use. Default: ["*"], all of them.',
      text('A tool.'),
    ).optional(),
    tool_settings: map('Settings by tool.', toolSettings).optional(),
  },
  {
    type: 'http',
    command: 'npx',
    args: ['-y', 'tickets-mcp'],
    env: { TICKETS_TOKEN: '${TICKETS_TOKEN}' },
    url: 'https://mcp.example.com/mcp',
    headers: { authorization: 'Bearer ${TICKETS_TOKEN}' },
    timeout_seconds: 30,
    tools: ['search'],
    tool_settings: { search: { idempotent: true } },
  },
);

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
    allow: list('Hosts that may be called, also after a redirect.', host, 1),
    allow_private: list(
      'The allowed hosts that may be on this machine or its network. Default: none.',
      host,
    ).optional(),
    methods: list(
      'The methods that it may use. Default: only GET.',
      choice('A method.', FETCH_METHODS),
      1,
    ).optional(),
    timeout_seconds: seconds(
      'How long one call may take, its redirects included. Default: 30.',
    ).optional(),
    max_bytes: wholeNumber(
      'The longest body that is read; a longer one is a failure, unless the node has `on_truncated: keep`. Default: 1048576.',
      {
        min: 1,
        max: 100_000_000,
      },
    ).optional(),
  },
  {
    allow: ['api.example.com'],
    allow_private: ['http://localhost:8080'],
    methods: ['GET', 'POST'],
    timeout_seconds: 10,
    max_bytes: 1_000_000,
  },
);

const toolOutput = strict(
  '`tool_output`',
  'How much of a tool result an agent reads at once. The rest it reads with the tool read_tool_output.',
  {
    enabled: flag('Whether results are bounded. Default: true.').optional(),
    max_chars: wholeNumber('The most characters of one result. Default: 50000.', {
      min: 100,
      max: 10_000_000,
    }).optional(),
    spill_to_file: flag(
      'Accepted for Conductor’s files: the whole result is in the log of the run, whatever it says.',
    ).optional(),
    spill_dir: text('A folder.')
      .nullable()
      .describe('Accepted for Conductor’s files: no file is written.')
      .optional(),
  },
  { enabled: true, max_chars: 20_000, spill_to_file: true, spill_dir: './spill' },
);

const modelTimeouts = strict(
  '`model_timeouts`',
  'The time limits of a model call, for all models.',
  {
    first_token_seconds: seconds('Until the first content of a reply. Default: 180.').optional(),
    idle_seconds: seconds('Between two pieces of the reply. Default: 120.').optional(),
    total_seconds: seconds('For the whole reply. Default: 900.').optional(),
  },
  { first_token_seconds: 60, idle_seconds: 30, total_seconds: 300 },
);

const USD_PER_MTOK = { min: 0, max: 1_000_000 } as const;

const simulatedPrice = strict(
  '`simulate_price_per_mtok`',
  'What a million simulated tokens cost.',
  {
    input: number('US dollars for a million tokens of input.', USD_PER_MTOK).optional(),
    output: number('US dollars for a million tokens of output.', USD_PER_MTOK).optional(),
  },
  { input: 2, output: 8 },
);

export const modelPrice = strict(
  'a price',
  'US dollars for a million tokens of a model.',
  {
    input_per_mtok: number('For a million tokens of input.', USD_PER_MTOK),
    output_per_mtok: number('For a million tokens of output.', USD_PER_MTOK),
    cache_read_per_mtok: number('For a million tokens read from a cache.', USD_PER_MTOK).optional(),
    cache_write_per_mtok: number(
      'For a million tokens written to a cache.',
      USD_PER_MTOK,
    ).optional(),
  },
  { input_per_mtok: 2, output_per_mtok: 8, cache_read_per_mtok: 0.2, cache_write_per_mtok: 2.5 },
);

export const runtimeSchema = strict(
  '`runtime`',
  'Which models and servers the workflow uses.',
  {
    provider: either('The provider of models that name none.', 'a name, or a map with `name`', [
      text('Its name, such as openai or anthropic.'),
      provider,
    ]).optional(),
    default_model: modelSchema
      .describe('The model of nodes that name none, or a fallback chain.')
      .optional(),
    temperature: number(
      'The sampling temperature, for nodes that do not set it. Default: that of the provider.',
      {
        min: 0,
        max: 2,
      },
    ).optional(),
    max_tokens: wholeNumber('The longest reply, in tokens.', {
      min: 1,
      max: 10_000_000,
    }).optional(),
    default_reasoning_effort: choice(
      'How much models think before they reply, for nodes that do not set `reasoning`. Default: that of the provider.',
      REASONING_EFFORTS,
    ).optional(),
    max_agent_iterations: wholeNumber(
      'The most requests to the model for agents of this file that do not set `max_turns`.',
      { min: 1, max: 10_000 },
    ).optional(),
    max_session_seconds: seconds(
      'How long one attempt of an agent of this file may take, for agents that do not set `timeout_seconds`.',
    ).optional(),
    timeout: seconds('Conductor’s name for `model_timeouts.total_seconds`.').optional(),
    working_dir: text(
      'Where MCP servers run, and scripts that do not set their own, from the folder of this file. It must be inside the project.',
    ).optional(),
    tool_output: toolOutput.optional(),
    checkpoint: jsonMap(
      'Accepted for Conductor’s files: every step is stored before the next one starts, whatever it says.',
    ).optional(),
    model_timeouts: modelTimeouts.optional(),
    mcp_servers: map('MCP servers by name.', mcpServer).optional(),
    http_fetch: httpFetch.optional(),
    simulate: simulateSchema.optional(),
    simulate_price_per_mtok: simulatedPrice.optional(),
  },
  {
    provider: 'openai',
    default_model: 'anthropic/claude-sonnet-5',
    temperature: 0.2,
    max_tokens: 2000,
    default_reasoning_effort: 'medium',
    max_agent_iterations: 10,
    max_session_seconds: 600,
    timeout: 300,
    working_dir: './work',
    tool_output: { max_chars: 20_000 },
    checkpoint: { every_agent: true },
    mcp_servers: { tickets: { type: 'http', url: 'https://mcp.example.com/mcp' } },
    simulate: { clerk: [{ fail: { kind: 'provider.rate_limited' } }, { answer: 'bug' }] },
    simulate_price_per_mtok: { input: 2, output: 8 },
  },
);

export type RuntimeFile = FromFile<typeof runtimeSchema>;
export type McpServerFile = FromFile<typeof mcpServer>;
export type FetchFile = FromFile<typeof httpFetch>;
export type PriceFile = FromFile<typeof modelPrice>;
