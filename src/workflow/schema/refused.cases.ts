/**
 * Refused files, each with its one diagnostic: fragments that replace «» in an otherwise valid file.
 * Another JSON Schema validator checks the same cases.
 */
import type { DiagnosticCode } from '../diagnostics/diagnostic-codes.ts';

/** The expected diagnostic: its position and its suggestion. */
export type Expected = readonly [code: DiagnosticCode, at: string, suggestion?: string];

export const AGENT = `workflow: {name: x, entry_point: a, state: {tags: {type: array}}}
nodes:
  - {name: b, type: set, value: 1}
  - name: a
    prompt: hi
    «»
`;

export const NODE = `workflow: {name: x, entry_point: a, state: {tags: {type: array}}}
nodes:
  - {name: b, type: set, value: 1}
  - «»
`;

export const ROUTE = `workflow: {name: x, entry_point: a}
nodes:
  - {name: b, type: set, value: 1}
  - name: a
    prompt: hi
    raises: [order.missing]
    assert: [{that: output.x, raise: order.odd}]
    routes:
      - {to: $end}
      - «»
`;

export const HEADER = `workflow:
  name: x
  entry_point: a
  «»
nodes: [{name: a, type: set, value: 1}]
`;

export const FILE = `workflow: {name: x, entry_point: a}
nodes:
  - {name: a, type: set, value: 1}
  - {name: b, type: set, value: 1}
«»
`;

export type Refused = readonly [written: string, ...expected: Expected];

export const REFUSED_ROUTES: readonly Refused[] = [
  [
    '{to: b, halt: {message: x}}',
    'two-moves',
    'halt',
    'Write one route for each move, in the order in which they should match',
  ],
  [
    '{on_error: true, retry: {max: 1}, ask: true}',
    'two-moves',
    'ask',
    'Write one route for each move, in the order in which they should match',
  ],
  ['{when: "x"}', 'no-move', '{when', 'Add a move: `to` or `halt`'],
  [
    '{on_error: true}',
    'no-move',
    '{on_error',
    'Add a move: `to`, `retry`, `ask`, `park`, `halt` or `propagate`',
  ],
  [
    '{retry: {max: 1}}',
    'move-needs-error',
    'retry',
    'Add `on_error: true`, or the kinds it is for',
  ],
  ['{ask: true}', 'move-needs-error', 'ask', 'Add `on_error: true`, or the kinds it is for'],
  ['{park: true}', 'move-needs-error', 'park', 'Add `on_error: true`, or the kinds it is for'],
  [
    '{propagate: true}',
    'move-needs-error',
    'propagate',
    'Add `on_error: true`, or the kinds it is for',
  ],
  ['{on_error: false, to: b}', 'on-error-value', 'false', 'true'],
  ['{on_error: null, to: b}', 'on-error-value', 'null', 'true'],
  ['{on_error: "", to: b}', 'on-error-value', '""', 'true'],
  ['{on_error: [], to: b}', 'on-error-value', 'on_error', 'true'],
  ['{on_error: "*", to: b}', 'on-error-value', '"*"', 'true'],
  ['{on_error: ["*"], to: b}', 'on-error-value', '"*"', 'true'],
  ['{on_error: [true], to: b}', 'on-error-value', 'true', 'true'],
  ['{on_error: 7, to: b}', 'on-error-value', '7', 'true'],
  ['{on_error: {a: 1}, to: b}', 'on-error-value', 'on_error', 'true'],
  ['{on_error: any, to: b}', 'bad-kind', 'any', 'true'],
  ['{on_error: rate_limited, to: b}', 'bad-kind', 'rate_limited', 'provider.rate_limited'],
  ['{on_error: Order.Missing, to: b}', 'bad-kind', 'Order.Missing', 'order.missing'],
  ['{on_error: external/order, to: b}', 'bad-kind', 'external', 'external.order'],
  ['{on_error: [order.missing, x], to: b}', 'bad-kind', 'x', 'external.x'],
  ['{on_error: provider, to: b}', 'bad-kind', 'provider', 'provider.*'],
  ['{on_error: external, to: b}', 'bad-kind', 'external', 'external.*'],
  ['{on_error: Order, to: b}', 'bad-kind', 'Order', 'order.*'],
  ['{on_error: "a b.*", to: b}', 'bad-kind', '"a'],
  [
    '{on_error: provider.rate_limitd, to: b}',
    'unknown-kind',
    'provider.rate_limitd',
    'provider.rate_limited',
  ],
  ['{on_error: "provider.x.*", to: b}', 'unknown-kind', '"provider.x.*"', 'provider.*'],
  ['{on_error: order.mising, to: b}', 'undeclared-kind', 'order.mising', 'order.missing'],
  [
    '{on_error: [order.odd, something.else], to: b}',
    'undeclared-kind',
    'something.else',
    'Add `something.else` to its `raises`, or remove the route',
  ],
  ['{on_error: "ordr.*", to: b}', 'undeclared-kind', '"ordr.*"', 'order.*'],
  [
    '{on_error: [order.odd, "shipping.*"], to: b}',
    'undeclared-kind',
    '"shipping.*"',
    'Add a kind under `shipping.` to its `raises`, or remove the route',
  ],
  ['{on_error: true, to: nowhere}', 'unknown-node', 'nowhere'],
  ['{on_error: true, to: end}', 'unknown-node', 'end', '$end'],
  ['{on_error: true, to: "a b"}', 'bad-value', '"a'],
  ['{on_error: true, retry: {max: 0}}', 'bad-value', '0'],
  ['{on_error: true, retry: {max: 101}}', 'bad-value', '101'],
  ['{on_error: true, retry: {max: 1.5}}', 'wrong-type', '1.5'],
  ['{on_error: true, retry: {}}', 'missing-key', 'retry', 'Add `max`, for example `max: 3`'],
  ['{on_error: true, retry: 3}', 'wrong-type', '3', '{max: 3}'],
  ['{on_error: true, retry: true}', 'wrong-type', 'true', '{max: 2}'],
  ['{on_error: true, park: 15m}', 'wrong-type', '15m', '{for: 15m}'],
  ['{on_error: true, park: 900}', 'wrong-type', '900', '{for: 900s}'],
  ['{on_error: true, park: 15 minutes}', 'wrong-type', '15', '{for: 15m}'],
  ['{on_error: true, ask: [retry, abort]}', 'wrong-type', 'ask', '{options: [retry, abort]}'],
  ['{on_error: true, ask: retry}', 'wrong-type', 'retry', '{options: [retry]}'],
  ['{on_error: true, retry: {max: 1, backoff: expo}}', 'bad-value', 'expo'],
  [
    '{on_error: true, retry: {max: 1, backoff: exponental}}',
    'bad-value',
    'exponental',
    'exponential',
  ],
  ['{on_error: true, retry: {max: 1, jitter: 2}}', 'bad-value', '2'],
  ['{on_error: true, retry: {max: 1, initial_seconds: 5, max_seconds: 2}}', 'bad-value', '5'],
  [
    '{on_error: true, retry: {max: 1, intial_seconds: 5}}',
    'unknown-key',
    'intial_seconds',
    'initial_seconds',
  ],
  ['{on_error: true, ask: {options: []}}', 'bad-value', 'options'],
  ['{on_error: true, ask: {options: [retri]}}', 'bad-value', 'retri', 'retry'],
  ['{on_error: true, ask: {timeout: 24 hours}}', 'bad-duration', '24', '24h'],
  ['{on_error: true, park: {for: 0s}}', 'bad-duration', '0s'],
  ['{on_error: true, park: {for: soon}}', 'bad-duration', 'soon'],
  ['{on_error: true, park: {for: 999999999d}}', 'bad-duration', '999999999d'],
  ['{on_error: true, park: {for: 31622401}}', 'bad-duration', '31622401'],
  ['{on_error: true, ask: {timeout: 367d}}', 'bad-duration', '367d'],
  ['{on_error: true, park: {max: 2}}', 'missing-key', 'park', 'Add `for`, for example `for: 15m`'],
  ['{on_error: true, park: false}', 'wrong-type', 'false'],
  ['{on_error: true, propagate: false}', 'bad-value', 'false'],
  ['{on_error: true, halt: stop}', 'wrong-type', 'stop', '{message: stop}'],
  ['{on_error: true, to: b, output: {x: 1}}', 'either-or', 'output', 'Use a `set` node on the way'],
  ['{on_eror: true, to: b}', 'unknown-key', 'on_eror', 'on_error'],
];

export const REFUSED_TABLES: readonly Refused[] = [
  [
    '[{to: b}, {on_error: true, to: b}, {on_error: provider.auth, to: b}]',
    'catch-all-not-last',
    'true',
    'Move this route to the end of the table',
  ],
  [
    '[{to: b}, {on_error: true, park: true}, {on_error: true, to: b}]',
    'catch-all-not-last',
    'true',
    'Move this route to the end of the table',
  ],
  [
    '[{on_error: true, to: b}]',
    'no-success-route',
    'routes',
    'Add `{to: $end}`, or a route to the next node',
  ],
];

export const REFUSED_AGENTS: readonly Refused[] = [
  ['promt: x', 'unknown-key', 'promt', 'prompt'],
  ['command: bash', 'unknown-key', 'command', 'type: script'],
  ['arguments: {}', 'unknown-key', 'arguments'],
  [
    'retry: {max_attempts: 3}',
    'unsupported-key',
    'retry',
    'Write a route: `routes: [{to: $end}, {on_error: provider.rate_limited, retry: {max: 2}}]`',
  ],
  ['validator: {max_retries: 1}', 'missing-key', 'validator', 'Add `criteria`: text'],
  ['dialog: {}', 'missing-key', 'dialog', 'Add `trigger_prompt`: text'],
  [
    'sandbox: {}',
    'unsupported-key',
    'sandbox',
    'Leave it out, and run Errand itself in a container',
  ],
  [
    'skills: [x]',
    'unsupported-key',
    'skills',
    'Put the text of the skill into `instructions` or the prompt',
  ],
  [
    'max_turns: 3\n    max_agent_iterations: 4',
    'either-or',
    'max_agent_iterations',
    'Remove `max_turns` or `max_agent_iterations`',
  ],
  [
    'provider: copilot',
    'unsupported-value',
    'copilot',
    'Run with `--provider openai`, or another provider that you have, which then stands in for it; `--provider sim` plays the file without a key',
  ],
  [
    'working_dir: ./x',
    'not-used',
    'working_dir',
    'Set `working_dir` under `workflow.runtime`, for all MCP servers of the file',
  ],
  ['model: 4', 'wrong-type', '4'],
  ['model: []', 'bad-value', 'model'],
  [
    'model: [{model: a/b, on: provider.contentfilter}]',
    'unknown-kind',
    'provider.contentfilter',
    'provider.content_filter',
  ],
  ['model: [{model: a/b, on: [tool.failed]}]', 'unknown-kind', 'tool.failed'],
  [
    'model: [{on: any}]',
    'missing-key',
    '{on',
    'Add `model`: a model such as anthropic/claude-sonnet-5',
  ],
  ['max_turns: 0', 'bad-value', '0'],
  ['timeout_seconds: 0', 'bad-value', '0'],
  ['timeout_seconds: 1m', 'wrong-type', '1m', '60'],
  ['budget: {usd: -1}', 'bad-value', '-1'],
  ['budget: {euro: 1}', 'unknown-key', 'euro'],
  ['tools: all', 'wrong-type', 'all'],
  ['tools: [7]', 'wrong-type', '7', '"7"'],
  ['policy: {ask: refund}', 'wrong-type', 'refund'],
  ['on_partial: keep', 'bad-value', 'keep'],
  ['writes: [tag]', 'unknown-state', 'tag', 'tags'],
  ['raises: [provider.mine]', 'reserved-kind', 'provider.mine', 'external.mine'],
  ['raises: [run.lost]', 'reserved-kind', 'run.lost', 'external.lost'],
  ['raises: [Missing]', 'bad-kind', 'Missing', 'external.missing'],
  [
    'raises: [order.missing, order.missing]',
    'duplicate-raise',
    'order.missing',
    'Remove one of them',
  ],
  ['assert: [{that: "x", raise: limit.mine}]', 'reserved-kind', 'limit.mine', 'external.mine'],
  ['assert: [{raise: my.own}]', 'missing-key', '{raise', 'Add `that`: text'],
  ['output: {x: {type: strng}}', 'bad-value', 'strng', 'string'],
  ['output: {x: string}', 'wrong-type', 'string', '{type: string}'],
  ['output: {x: int}', 'wrong-type', 'int', '{type: integer}'],
  ['output: {x: bool}', 'wrong-type', 'bool', '{type: boolean}'],
  ['output: {x: What is wrong}', 'wrong-type', 'What', '{type: string}'],
  ['output: {x: "string[]"}', 'wrong-type', '"string[', '{type: array, items: {type: string}}'],
  ['output: {x: [bug, other]}', 'wrong-type', 'x', '{type: string, enum: [bug, other]}'],
  ['output: {x: {type: array, items: string}}', 'wrong-type', 'string', '{type: string}'],
  [
    'output: {x: {type: object, properties: {y: number}}}',
    'wrong-type',
    'number',
    '{type: number}',
  ],
  [
    'output: {type: object, properties: {label: {type: string}}, required: [label]}',
    'wrong-type',
    'output',
    'Write `output_schema:` instead of `output:`, or list the fields: `output: {label: {type: string}}`',
  ],
  [
    'output: {type: array, items: {type: string}}',
    'wrong-type',
    'output',
    'Write `output_schema:` instead of `output:`, or list the fields: `output: {label: {type: string}}`',
  ],
  [
    'output_schema: {label: {type: string}}',
    'bad-schema',
    'output_schema',
    'Write `output:` instead of `output_schema:`',
  ],
  [
    'input: workflow.input.ticket',
    'wrong-type',
    'workflow.input.ticket',
    '[workflow.input.ticket]',
  ],
  ['input: "{{ workflow.input.ticket }}"', 'wrong-type', '"{{', '[workflow.input.ticket]'],
  [
    'retries: 3',
    'unsupported-key',
    'retries',
    'Write a route: `routes: [{to: $end}, {on_error: provider.rate_limited, retry: {max: 3}}]`',
  ],
  [
    'max_attempts: 3',
    'unsupported-key',
    'max_attempts',
    'Write a route: `routes: [{to: $end}, {on_error: provider.rate_limited, retry: {max: 2}}]`',
  ],
  [
    'on_error: b',
    'unsupported-key',
    'on_error',
    'Write a route: `routes: [{to: $end}, {on_error: true, to: …}]`',
  ],
  ['next: b', 'unsupported-key', 'next', 'Write a route: `routes: [{to: …}]`'],
  ['routes: [b]', 'wrong-type', 'b', '{to: b}'],
  ['routes: b', 'wrong-type', 'b', '[{to: b}]'],
  ['assert: output.x == 1', 'wrong-type', 'output.x', '[{that: "output.x == 1"}]'],
  ['budget: 0.05', 'wrong-type', '0.05', '{usd: 0.05}'],
  ['output: {x: {type: string, enum: [1]}}', 'wrong-type', '1'],
  ['output: {x: {type: string, pattern: "["}}', 'bad-value', '"["'],
  ['output: {x: {type: number, minimum: 3, maximum: 2}}', 'bad-value', '3'],
  [
    'output: {x: {type: array, items: {type: object, properties: {y: {type: int}}}}}',
    'bad-value',
    'int',
    'integer',
  ],
  ['output_schema: [1]', 'wrong-type', 'output_schema'],
  [
    'output: {x: {type: string}}\n    output_schema: {type: object}',
    'either-or',
    'output_schema',
    'Remove `output` or `output_schema`',
  ],
  ['routes: {to: b}', 'wrong-type', 'routes', '[{to: b}]'],
];
