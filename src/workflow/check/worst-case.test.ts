import { describe, expect, it } from 'vitest';
import { validateWorkflow } from './validate-workflow.ts';
import type { CheckOptions } from './check.ts';
import type { WorstCase } from './worst-case.ts';

const CHILD = `
workflow: {name: c, entry_point: x}
nodes:
  - {name: x, type: script, command: "true", timeout_seconds: 1, idempotent: true,
     routes: [{to: $end}, {on_error: internal.script_error, retry: {max: 2, backoff: none}}]}
`;

const TWICE = `
workflow: {name: d, entry_point: x}
nodes:
  - {name: x, type: script, command: "true", routes: [{to: y}]}
  - {name: y, type: script, command: "true"}
`;

function worst(body: string, header = '', options: CheckOptions = {}): WorstCase {
  const texts: Record<string, string> = {
    'c.yaml': CHILD,
    'twice.yaml': TWICE,
    'main.yaml': `workflow:\n  name: t\n  entry_point: a\n${header}${body}`,
  };
  const files = {
    resolve: (_from: string, to: string) => to.replace(/^\.\//, ''),
    read: (path: string) => {
      const text = texts[path];
      return text === undefined
        ? ({ ok: false, reason: 'no such file' } as const)
        : ({ ok: true, text } as const);
    },
  };
  const { files: reports } = validateWorkflow('main.yaml', files, {}, options);
  const [report] = reports;
  if (report === undefined || report.worstCase === null) throw new Error(JSON.stringify(reports));
  return report.worstCase;
}

describe('the worst case, worked by hand', () => {
  it('of one script is one effect', () => {
    expect(
      worst('nodes:\n  - {name: a, type: script, command: "true", timeout_seconds: 3}\n'),
    ).toEqual({
      effects: 1,
      modelRequests: 0,
      wallMs: 5000,
      costUsdMicros: 0,
      unbounded: [],
    });
  });

  it('of 3 × 3 × 3 nested retries is 27 attempts of the leaf', () => {
    // the child's leaf runs 3 times, its caller 3 times, and so does the caller of that one
    const middle = `
nodes:
  - {name: a, type: workflow, workflow: ./c.yaml,
     routes: [{to: $end}, {on_error: internal.script_error, retry: {max: 2, backoff: none}}]}
`;
    expect(worst(middle).effects).toBe(9);
  });

  it('is capped by max_retries, over everything that is retried', () => {
    const again =
      'routes: [{to: $end}, {on_error: internal.script_error, retry: {max: 2, backoff: none}}]';
    const nested = `nodes:\n  - {name: a, type: workflow, workflow: ./c.yaml, ${again}}\n`;
    // the first attempt, and each retry runs the leaf once more
    expect(worst(nested, '  limits: {max_retries: 4}\n').effects).toBe(5);
    expect(worst(nested, '  limits: {max_retries: 0}\n').effects).toBe(1);
    expect(worst(nested, '  limits: {max_retries: 40}\n').effects).toBe(9);
    const script = (name: string): string =>
      `  - {name: ${name}, type: script, command: "true", timeout_seconds: 1, `;
    const line = `nodes:\n${script('a')}${again.replace('$end', 'b')}}\n${script('b')}${again}}\n`;
    expect(worst(line, '  limits: {max_retries: 1}\n')).toMatchObject({ effects: 3, wallMs: 9000 });
    // an outer retry repeats everything inside
    const outer = `nodes:
  - {name: a, type: workflow, workflow: ./twice.yaml, ${again}}
`;
    expect(worst(outer, '  limits: {max_retries: 1}\n').effects).toBe(4);
  });

  it('counts the retries that a tool declares, and the writes of an agent', () => {
    const retry = { max: 2, backoff: 'fixed', initialMs: 1, maxMs: 1, jitter: 0 } as const;
    const describes = { look: { isDeclared: true, isIdempotent: true, writes: false, retry } };
    const known = (): object => ({ functions: [], tools: ['look'], describes });
    const node = 'nodes:\n  - {name: a, type: tool, tool: look, timeout_seconds: 1}\n';
    expect(worst(node, '', { known } as CheckOptions)).toMatchObject({
      effects: 3,
      wallMs: 241_000,
    });
    const writing = 'nodes:\n  - {name: a, prompt: Hi, model: sim/x, tools: [], writes: [n]}\n';
    expect(worst(writing, '  state: {n: {type: number}}\n').effects).toBeNull();
  });

  it('counts no tool calls of an agent that names no tools where there are none', () => {
    const describe = (writes: boolean | null): object => ({
      look: { isDeclared: true, isIdempotent: true, writes },
    });
    const agent = (describes: object, runtime = ''): WorstCase =>
      worst('nodes:\n  - {name: a, prompt: Hi, model: sim/x}\n', runtime, {
        known: (): object => ({ functions: [], tools: Object.keys(describes), describes }),
      } as CheckOptions);
    expect(agent({})).toMatchObject({ modelRequests: 4 * 6, effects: 4 * 6 });
    // only what does not write is given to it unasked
    expect(agent(describe(true)).effects).toBe(4 * 6);
    expect(agent(describe(null)).effects).toBe(4 * 6);
    expect(agent(describe(false)).effects).toBeNull();
    expect(agent({}, '  runtime: {mcp_servers: {s: {command: s}}}\n').effects).toBeNull();
    const unread = { known: () => undefined };
    expect(
      worst('nodes:\n  - {name: a, prompt: Hi, model: sim/x}\n', '', unread).effects,
    ).toBeNull();
  });

  it('follows the most expensive path, not the sum of all', () => {
    const { effects } = worst(`
nodes:
  - {name: a, type: script, command: "true", timeout_seconds: 1, exit_codes: any,
     routes: [{to: b, when: "exit_code == 0"}, {to: c}]}
  - {name: b, type: script, command: "true", timeout_seconds: 1, routes: [{to: d}]}
  - {name: c, type: set, value: 1, routes: [{to: d}]}
  - {name: d, type: script, command: "true", timeout_seconds: 1}
`);
    expect(effects).toBe(3);
  });

  it('adds the handler that an error route leads to', () => {
    const { effects } = worst(`
nodes:
  - {name: a, type: script, command: "true", timeout_seconds: 1, routes: [{to: $end}, {on_error: true, to: b}]}
  - {name: b, type: script, command: "true", timeout_seconds: 1}
`);
    expect(effects).toBe(2);
  });

  it('gives one model six attempts, two models twelve, and fewer where a route names the rate limit', () => {
    const requests = (more: string): number | null =>
      worst(`nodes:\n  - {name: a, prompt: Hi, tools: [], ${more}}\n`).modelRequests;
    // a reply, or three calls of unknown tools before it
    expect(requests('model: sim/x')).toBe(4 * 6);
    expect(requests('model: sim/x, max_turns: 1')).toBe(6);
    expect(requests('model: [sim/x, sim/y], max_turns: 1')).toBe(12);
    const limited = '{to: $end}, {on_error: provider.rate_limited, to: $end}';
    expect(requests(`model: sim/x, max_turns: 1, routes: [${limited}]`)).toBe(3);
    expect(requests('model: sim/x, output: {n: {type: number}}')).toBe(6 * 6);
    expect(
      requests(
        'model: sim/x, max_turns: 1, routes: [{to: $end}, {on_error: agent.output_invalid, retry: {max: 2}}]',
      ),
    ).toBe(18);
  });

  it('counts a fresh key and a restarted stream where routes name all other kinds', () => {
    const kinds =
      'provider.rate_limited, provider.overloaded, provider.server_error, provider.timeout, provider.network, provider.conflict';
    const sometimes = 'provider.unknown, provider.stream_interrupted';
    const requests = (more: string, named = `${kinds}, ${sometimes}`): number | null =>
      worst(
        `nodes:\n  - {name: a, prompt: Hi, tools: [], max_turns: 1, ${more}, routes: [{to: $end}, {on_error: [${named}], to: $end}]}\n`,
      ).modelRequests;
    expect(requests('model: sim/x')).toBe(1);
    expect(requests('model: openai/x')).toBe(2);
    expect(requests('model: sim/x, on_partial: restart', `${kinds}, provider.unknown`)).toBe(3);
    // what a rule recognises as passing is retried too
    expect(requests('model: sim/x', kinds)).toBe(3);
  });

  it('bounds a loop by an explicit max_iterations, and by nothing else', () => {
    const loop =
      'nodes:\n  - {name: a, type: script, command: "true", timeout_seconds: 1, routes: [{to: a, when: "exit_code == 1"}, {to: $end}]}\n';
    expect(worst(loop, '  limits: {max_iterations: 7}\n').effects).toBe(7);
    expect(worst(loop)).toMatchObject({
      effects: null,
      unbounded: ['the loop of a to itself is bounded only by the default max_iterations'],
    });
  });

  it('adds up the members of a group and cannot count those of a list', () => {
    const group = `
nodes:
  - {name: x, type: script, command: "true", timeout_seconds: 1}
  - {name: y, type: workflow, workflow: ./c.yaml}
parallel: [{name: a, agents: [x, y]}]
`;
    expect(worst(group).effects).toBe(4);
    const list = `
nodes: [{name: z, type: set, value: 1}]
for_each: [{name: a, source: "{{ [1, 2] }}", as: i, agent: {name: x, type: script, command: "true", timeout_seconds: 1}}]
`;
    expect(worst(list)).toMatchObject({
      effects: null,
      unbounded: ['the number of items of a is known only when it runs'],
    });
  });

  it('is bounded by the run’s own time and enforced budget', () => {
    const node = 'nodes:\n  - {name: a, prompt: Hi, model: openai/gpt-6, tools: []}\n';
    expect(worst(node)).toMatchObject({ wallMs: null, costUsdMicros: null });
    const limits = '  limits: {timeout_seconds: 60, budget_usd: 0.5}\n';
    expect(worst(node, limits)).toMatchObject({ wallMs: 60_000, costUsdMicros: 500_000 });
    expect(
      worst(node, '  limits: {budget_usd: 0.5, budget_mode: audit}\n').costUsdMicros,
    ).toBeNull();
  });

  it('has no bound where people answer or a node parks without a limit', () => {
    const node = (move: string): readonly string[] =>
      worst(
        `nodes:\n  - {name: a, type: set, value: 1, routes: [{to: $end}, {on_error: true, ${move}}]}\n`,
      ).unbounded;
    expect(node('ask: {options: [abort]}')).toEqual([]);
    const script = (move: string): readonly string[] =>
      worst(
        `nodes:\n  - {name: a, type: script, command: "true", timeout_seconds: 1, routes: [{to: $end}, {on_error: true, ${move}}]}\n`,
      ).unbounded;
    expect(script('ask: {options: [retry, abort]}')).toEqual([
      'a person may answer retry at a without a limit',
    ]);
    expect(script('park: {for: 1m}')).toEqual(['a runs again after each park, without a limit']);
    expect(script('park: {for: 1m, max: 3}')).toEqual([]);
  });
});
