/**
 * Keys of Conductor's files that Errand does not support. They are refused by name, with an alternative:
 * ignoring them would change the meaning of the file.
 */
import { NODE_NOUNS } from './node-schema.ts';

type Hints = Readonly<Record<string, string>>;

const SKILLS = 'Put the text of the skill into `instructions` or the prompt';
const PLUGINS =
  'Put the texts of the plugin into `instructions`, its servers into `mcp_servers`, and its agents into nodes';
const LONG_CONTEXT = 'Leave it out, and name a model whose context is long enough';
const CONTAINED = 'Leave it out, and run Errand itself in a container';

const NODE_KEYS: Hints = {
  output_mode: 'Leave it out; an agent without `output` returns `{result: text}`',
  context_tier: LONG_CONTEXT,
  max_depth: 'Leave it out; workflows that call each other in a cycle are refused',
  session_key: 'Leave it out, and pass what the agent has to know with templates',
  sandbox: CONTAINED,
  skills: SKILLS,
  plugins: PLUGINS,
  on_error: 'Write a route: `routes: [{to: $end}, {on_error: true, to: …}]`',
  catch: 'Write a route: `routes: [{to: $end}, {on_error: true, to: …}]`',
  on_failure: 'Write a route: `routes: [{to: $end}, {on_error: true, to: …}]`',
  fallback: 'Write a route: `routes: [{to: $end}, {on_error: true, to: …}]`',
  next: 'Write a route: `routes: [{to: …}]`',
  goto: 'Write a route: `routes: [{to: …}]`',
  to: 'Write a route: `routes: [{to: …}]`',
  depends_on: 'Add routes to this node from the nodes before it: `routes: [{to: …}]`',
  needs: 'Add routes to this node from the nodes before it: `routes: [{to: …}]`',
  when: 'Write it on the route that leads here: `{to: …, when: …}`',
  if: 'Write it on the route that leads here: `{to: …, when: …}`',
  condition: 'Write it on the route that leads here: `{to: …, when: …}`',
  emit: 'Use a `call`',
  payload: 'Use a `call`',
};

const OTHER_KEYS: Readonly<Record<string, Hints>> = {
  'a workflow file': {
    stages: 'Write the nodes of each stage under `agents`',
  },
  '`workflow`': {
    hooks: 'Use routes, or read the events of the run',
    notifications: 'Use a `call`, or read the events of the run',
  },
  '`context`': {
    max_tokens: 'Use the mode `explicit` and list the inputs of each node',
    trim_strategy: 'Use the mode `explicit` and list the inputs of each node',
  },
  '`runtime`': {
    default_context_tier: LONG_CONTEXT,
    compaction: 'Leave it out',
    sandbox: CONTAINED,
    skills: SKILLS,
    skill_injection: SKILLS,
    skill_discovery: SKILLS,
    plugins: PLUGINS,
    plugin_sources: PLUGINS,
  },
  '`provider`': Object.fromEntries(
    `type wire_api bearer_token auth_token azure runtime_url runtime_token hermes_home
     hermes_toolsets hermes_skip_memory hermes_skip_context_files pool_endpoint api_version
     inner_provider identifier_scope egress lifecycle auth`
      .split(/\s+/)
      .map((key) => [key, 'Use `name`, `base_url`, `api_key` and `headers`']),
  ),
  'an MCP server': { timeout: 'Write `timeout_seconds`' },
};

const NODE_MAPS: ReadonlySet<string> = new Set(Object.values(NODE_NOUNS));

/** Retry keys of other engines; here a route retries, and names the failure. */
const RETRY_KEYS: ReadonlySet<string> = new Set(
  `retry retries max_retries retry_count retry_limit num_retries retry_policy retry_config retry_on
   attempts max_attempts backoff`.split(/\s+/),
);

/** The alternative to a key that Errand knows but does not support. */
export function unsupportedKey(noun: string, key: string, value?: unknown): string | undefined {
  const isNode = NODE_MAPS.has(noun);
  if (isNode && RETRY_KEYS.has(key.replace(/[A-Z]/g, (sign) => `_${sign.toLowerCase()}`)))
    return retryRoute(noun, key, value);
  const hints = isNode ? NODE_KEYS : (OTHER_KEYS[noun] ?? {});
  return Object.hasOwn(hints, key) ? hints[key] : undefined;
}

const RETRIED_KIND: Readonly<Record<string, string>> = {
  [NODE_NOUNS.agent]: 'provider.rate_limited',
  [NODE_NOUNS.supervisor]: 'provider.rate_limited',
  [NODE_NOUNS.script]: 'internal.script_error',
};

function retryRoute(noun: string, key: string, value: unknown): string {
  const kind = RETRIED_KIND[noun] ?? 'true';
  const retry = `{on_error: ${kind}, retry: {max: ${countIn(key, value)}}}`;
  return `Write a route: \`routes: [{to: $end}, ${retry}]\``;
}

/** The number of retries: `attempts` includes the first run, `max` does not. */
function countIn(key: string, value: unknown): number {
  if (typeof value === 'number') return bounded(/attempts/i.test(key) ? value - 1 : value);
  if (typeof value !== 'object' || value === null) return 2;
  const found = Object.entries(value).find(([, item]) => typeof item === 'number');
  return found === undefined ? 2 : countIn(found[0], found[1]);
}

function bounded(count: number): number {
  return Number.isInteger(count) && count >= 1 && count <= 100 ? count : 2;
}

export const UNSUPPORTED_TYPES: ReadonlyMap<string, string> = new Map([
  ['notification', 'Use a `call`'],
]);
