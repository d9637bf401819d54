/** The smallest workflow files that contain each key of the format. */
import {
  definedBlocks,
  fileBlock,
  modelBlock,
  smallest,
  type Block,
  type Key,
} from '../../scripts/docs/workflow-keys.ts';
import type { JsonObject, JsonValue } from '../../src/errors/support/safe-json.ts';

const HEADER = {
  name: 'triage',
  entry_point: 'classify',
  input: { ticket: { type: 'string' }, tickets: { type: 'array' } },
  state: { labels: { type: 'array', merge: 'append' } },
};
const OTHERS = [
  { name: 'publish', type: 'set', value: 1 },
  { name: 'escalate', type: 'set', value: 2 },
];
const AGENT = { name: 'classify', prompt: 'hi' };

function withNode(node: JsonObject): JsonObject {
  return { workflow: HEADER, nodes: [node, ...OTHERS] };
}

function withHeader(parts: JsonObject): JsonObject {
  return { workflow: { ...HEADER, ...parts }, nodes: [AGENT, ...OTHERS] };
}

/** The file around a block that the schema defines by name; all others are nodes. */
const AROUND: Readonly<Record<string, (block: JsonObject) => JsonObject>> = {
  file: (file) => {
    const list = 'agents' in file ? 'agents' : 'nodes';
    const nodes = file[list] ?? [AGENT];
    return { ...file, workflow: HEADER, [list]: [...(nodes as JsonValue[]), ...OTHERS] };
  },
  workflow: withHeader,
  input: (input) => withHeader({ input: { ticket: input } }),
  field: (field) => withNode({ ...AGENT, output: { label: field } }),
  simulatedAnswer: (answer) => withHeader({ runtime: { simulate: { clerk: [answer] } } }),
  route: (route) =>
    withNode({
      ...AGENT,
      routes: 'on_error' in route ? [{ to: '$end' }, route] : [route, { to: '$end' }],
    }),
  assertion: (assertion) => withNode({ ...AGENT, assert: [assertion] }),
  'model[]': (entry) => withNode({ ...AGENT, model: ['anthropic/claude-sonnet-5', entry] }),
  parallel: (group) => ({ workflow: HEADER, nodes: OTHERS, parallel: [group] }),
  forEach: (group) => ({ workflow: HEADER, nodes: OTHERS, for_each: [group] }),
};

/** The keys that another key needs beside it, in addition to the required ones. */
const BESIDE: Readonly<Record<string, (key: string) => JsonObject>> = {
  route: (key) => {
    if (key === 'output') return { to: '$end' };
    return ['on_error', 'when'].includes(key) ? { to: 'publish' } : { on_error: true };
  },
  questions: (key) => (['questions', 'source'].includes(key) ? {} : { source: 'publish.output' }),
  set: (key) => (['value', 'values'].includes(key) ? {} : { value: 1 }),
  parallel: quorum,
  for_each: quorum,
  'human_gate.options[]': (key) => ({
    value: 'yes',
    ...(key === 'multiline' ? { prompt_for: 'comment' } : {}),
  }),
  simulatedAnswer: (key) => {
    if (['fail', 'stream', 'tool_calls', 'answer', 'hang'].includes(key)) return {};
    return key === 'cut' ? { stream: ['a'] } : { answer: 'a' };
  },
  'simulatedAnswer.fail': (key) => {
    if (['kind', 'status'].includes(key)) return {};
    return ['message', 'retry_after'].includes(key)
      ? { kind: 'provider.overloaded' }
      : { status: 429 };
  },
  'workflow.runtime.mcp_servers.NAME': (key) =>
    ['command', 'args', 'env'].includes(key)
      ? { command: 'npx' }
      : { type: 'http', url: 'https://mcp.example.com/mcp' },
  input: constrained,
  field: constrained,
};

function quorum(key: string): JsonObject {
  return key === 'quorum' ? { failure_mode: 'quorum' } : {};
}

/** Constraints apply to values of one type. */
function constrained(key: string): JsonObject {
  if (['minimum', 'maximum'].includes(key)) return { type: 'number' };
  if (['minItems', 'maxItems', 'items'].includes(key)) return { type: 'array' };
  return key === 'properties' ? { type: 'object' } : {};
}

function besides({ name, schema }: Block, key: string): JsonObject {
  const beside = BESIDE[name]?.(key);
  const needed = Array.isArray(schema['required']) ? smallest(schema) : {};
  return { ...needed, ...beside };
}

export interface KeyCase {
  /** The block and the key. */
  readonly name: string;
  readonly key: Key;
  /** A file with this value of the key, or without the key. */
  readonly fileWith: (value: JsonValue | undefined) => JsonObject;
}

/** A case for each key of a block and of its inner blocks. */
function casesOf(block: Block, around: (inner: JsonObject) => JsonObject): readonly KeyCase[] {
  const own = block.keys.map((key) => ({
    name: `${block.name}: ${key.name}`,
    key,
    fileWith: (value: JsonValue | undefined) => {
      const { [key.name]: _left, ...others } = besides(block, key.name);
      return around(value === undefined ? others : { ...others, [key.name]: value });
    },
  }));
  const inner = block.inner.flatMap((each) => {
    const rest = block.name === 'file' ? each.name : each.name.slice(block.name.length + 1);
    const around_ = AROUND[each.name];
    return casesOf(each, (value) => {
      if (around_ !== undefined) return around_(value);
      const [key = '', ...path] = rest.split(/\.|(?=\[\])/);
      return around({ ...besides(block, key), [key]: wrapped(path, value) });
    });
  });
  return [...own, ...inner];
}

/** A value at the end of a path of names and list items. */
function wrapped(path: readonly string[], value: JsonValue): JsonValue {
  return path.reduceRight<JsonValue>(
    (held, segment) => (segment === '[]' ? [held] : { one: held }),
    value,
  );
}

/** A case for each key of the reference. */
export const KEY_CASES: readonly KeyCase[] = [
  ...casesOf(fileBlock(), AROUND['file'] ?? withHeader),
  ...casesOf(modelBlock(), AROUND['model[]'] ?? withNode),
  ...[...definedBlocks()].flatMap(([name, block]) => casesOf(block, AROUND[name] ?? withNode)),
];
