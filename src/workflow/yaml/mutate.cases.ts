/** Valid workflow files, and mutations that break them; the same seed gives the same mutation. */
export type Random = () => number;

/** Mulberry32: small, fast, and random enough for mutations. */
export function seeded(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A dozen files that together use every feature; small, because each is read ten thousand times. */
const SOURCES: Readonly<Record<string, string>> = {
  'small.yaml': `workflow: {name: small, entry_point: a}
nodes: [{name: a, type: set, value: 1}]
`,
  'agent.yaml': `workflow: {name: agent, entry_point: a, state: {tags: {type: array, merge: append}}}
agents:
  - name: a
    prompt: "Classify {{ workflow.input.x }}"
    model: [sim/a, {model: sim/b, on: [provider.auth]}]
    output: {label: {type: string, enum: [x, y]}}
    tools: null
    policy: {ask: [refund]}
    budget: {usd: 0.05}
    writes: [tags]
    raises: [a.b]
`,
  'routes.yaml': `workflow: {name: routes, entry_point: a}
nodes:
  - name: a
    prompt: hi
    assert: [{that: "{{ output }}", raise: a.b, message: no}]
    routes:
      - {to: b, when: "{{ output.x == 1 }}"}
      - {to: $end}
      - {on_error: provider.rate_limited, retry: {max: 2, backoff: fixed}}
      - {on_error: [a.b, "tool.*"], ask: {options: [retry, skip], timeout: 24h}}
      - {on_error: true, park: {for: 15m}, when: "x"}
      - {on_error: true, halt: {message: "no"}}
  - {name: b, type: terminate, status: failed, reason: x}
`,
  'header.yaml': `workflow:
  name: header
  entry_point: a
  version: 1.10
  input: {x: {type: string}, n: {type: number, default: 3}}
  context: {mode: explicit}
  limits: {max_iterations: 9, budget_usd: 0.5, budget_mode: ask}
  on_unhandled: fail
  on_error: [{on_error: provider.exhausted, park: true}]
nodes: [{name: a, type: set, value: 1}]
output: {x: "{{ a.output }}"}
`,
  'runtime.yaml': `workflow:
  name: runtime
  entry_point: a
  runtime:
    provider: {name: openai, base_url: http://x, api_key: "\${KEY:-k}"}
    default_model: gpt
    mcp_servers: {f: {command: npx, args: [x], tool_settings: {w: {writes: true}}}}
    simulate:
      m: [{fail: {kind: provider.auth}}, {stream: [a], cut: true}, {answer: x, delay: 5ms}]
nodes: [{name: a, prompt: x}]
`,
  'script.yaml': `workflow: {name: script, entry_point: a}
nodes:
  - name: a
    type: script
    command: bash
    args: ["-c", 'exit 3', 1.10]
    env: {REGION: eu}
    stdin: "{{ x | json }}"
    exit_codes: [0, 3]
    routes: [{to: $end, when: exit_code == 0}, {to: a}]
`,
  'steps.yaml': `workflow: {name: steps, entry_point: a}
nodes:
  - {name: a, type: call, function: f, arguments: {x: 1}, idempotent: true, routes: [{to: b}]}
  - {name: b, type: tool, tool: s/t, arguments: {}, routes: [{to: c}]}
  - {name: c, type: transform, code: "input.x + 1", arguments: {x: 1}, routes: [{to: d}]}
  - {name: d, type: wait, duration: 2.5m}
`,
  'gate.yaml': `workflow: {name: gate, entry_point: g}
nodes:
  - name: g
    type: human_gate
    prompt: |
      Go on?
        Really?
    options:
      - {label: Yes, value: yes, route: $end}
      - {value: no, prompt_for: why}
    timeout: 1h
    default: yes
`,
  'groups.yaml': `workflow: {name: groups, entry_point: p}
nodes: [{name: a, prompt: x}, {name: b, prompt: y}]
parallel:
  - {name: p, agents: [a, b], failure_mode: quorum, quorum: 1, routes: [{to: q}]}
for_each:
  - name: q
    source: workflow.input.list
    as: item
    key_by: item.id
    agent: {name: m, type: workflow, workflow: ./small.yaml, input_mapping: {x: 1}}
`,
  'supervisor.yaml': `workflow: {name: supervisor, entry_point: s}
nodes:
  - {name: s, type: supervisor, prompt: go, model: sim/s, manages: [a, b], max_rounds: 3}
  - &a {name: a, prompt: x}
  - {<<: *a, name: b}
`,
  'include.yaml': `workflow: {name: include, entry_point: a}
nodes:
  - name: a
    prompt: !file prompt.md
    routes: !file routes.yaml
  - {name: b, type: workflow, workflow: ./small.yaml}
`,
  'blocks.yaml': `# a comment
workflow:
  name: blocks
  entry_point: a

nodes:
  - name: a
    prompt: >-
      folded
      text
    system_prompt: 'quoted: "text"'
    description: |+
      literal

`,
};

/** Files that the sources include; never mutated. */
const INCLUDED = {
  'prompt.md': 'Note: this\n',
  'routes.yaml': '- {to: b}\n- {on_error: true, to: b}\n',
};

export function validFiles(): {
  readonly sources: Readonly<Record<string, string>>;
  readonly all: Readonly<Record<string, string>>;
} {
  return { sources: SOURCES, all: { ...SOURCES, ...INCLUDED } };
}

const WORDS =
  `true false null ~ 0 -1 1.5 1e400 .inf "" '' [] {} {{ }} [ ] { } : , - ? | > & * ! % @ # --- ...
  &a *a !file !!str !!int <<: on_error: retry: to: $end name: type: agent script set workflow: nodes: agents:
  provider.* provider.rate_limited a.b "*" {on_error:true} \${X} \${X:-1} 15m 24h sim/x __proto__ constructor
  \\t \\u0000 \u00e9 \u{1f600} \u202e \uFEFF \u2028 \r \t \0 \x1b[31m`.split(/\s+/);

type Mutation = (lines: string[], random: Random) => void;

function pick<T>(items: readonly T[], random: Random): T {
  return items[Math.floor(random() * items.length)] as T;
}

function at(lines: readonly string[], random: Random): number {
  return Math.floor(random() * lines.length);
}

function inLine(change: (line: string, random: Random) => string): Mutation {
  return (lines, random) => {
    const index = at(lines, random);
    lines[index] = change(lines[index] ?? '', random);
  };
}

function replaceToken(line: string, random: Random): string {
  const tokens = line.match(/\s+|[\w.$-]+|./gu) ?? [];
  if (tokens.length > 0) tokens[at(tokens, random)] = pick(WORDS, random);
  return tokens.join('');
}

function insert(line: string, random: Random): string {
  const where = Math.floor(random() * (line.length + 1));
  const text =
    random() < 0.5 ? pick(WORDS, random) : String.fromCodePoint(Math.floor(random() * 0xd7ff));
  return line.slice(0, where) + text + line.slice(where);
}

const MUTATIONS: readonly Mutation[] = [
  (lines, random) => void lines.splice(at(lines, random), 1 + Math.floor(random() * 3)),
  (lines, random) => void lines.splice(at(lines, random), 0, lines[at(lines, random)] ?? ''),
  (lines, random) => void lines.splice(at(lines, random), 0, pick(WORDS, random)),
  (lines, random) => void lines.splice(at(lines, random)),
  inLine((line, random) => ' '.repeat(Math.floor(random() * 9)) + line.trimStart()),
  inLine((line) => `\t${line}`),
  inLine((line, random) => line.slice(0, Math.floor(random() * line.length))),
  inLine(replaceToken),
  inLine(replaceToken),
  inLine(replaceToken),
  inLine(insert),
  inLine(insert),
  inLine((line) => line.replace(/: .*/, ':')),
  inLine((line) => line.replace(/(\w+):/, '$1$1:')),
];

export function mutate(text: string, random: Random): string {
  const lines = text.split('\n');
  const times = 1 + Math.floor(random() * 4);
  for (let time = 0; time < times; time++) pick(MUTATIONS, random)(lines, random);
  return lines.join('\n');
}
