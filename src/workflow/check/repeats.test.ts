import { describe, expect, it } from 'vitest';
import { memoryFiles } from '../yaml/files.cases.ts';
import { validateWorkflow } from './validate-workflow.ts';
import type { CheckOptions } from './check.ts';

const CODES: ReadonlySet<string> = new Set([
  'retry-around-effects',
  'retry-after-timeout',
  'retry-after-refusal',
  'retry-around-tools',
]);

/** Warnings about repeated effects: `severity code at the line: the names in the message`. */
function repeats(
  body: string,
  more: { header?: string; child?: string; options?: CheckOptions } = {},
): string[] {
  const main = `workflow: {name: t, entry_point: a${more.header ?? ''}}\n${body}`;
  const files = memoryFiles({
    'main.yaml': main,
    'c.yaml': `workflow: {name: c, entry_point: pay}\n${more.child ?? 'nodes: [{name: pay, type: set, value: 1}]\n'}`,
  });
  const { files: reports, isValid } = validateWorkflow('main.yaml', files, {}, more.options ?? {});
  expect(isValid).toBe(true);
  return reports.flatMap(({ diagnostics }) =>
    diagnostics
      .filter(({ code }) => CODES.has(code))
      .map(({ severity, code, message }) => {
        const names = [...message.matchAll(/`(?<name>[\w.]+)`/g)].map((each) => each[1]);
        return `${severity} ${code}: ${names.join(' ')}`;
      }),
  );
}

const RETRY = 'routes: [{to: $end}, {on_error: true, retry: {max: 1}}]';
const PAY = '  - {name: pay, type: script, command: x}\n';
const MAIL = '  - {name: mail, type: script, command: x, idempotent: true}\n';

const group = (settings: string, nodes = PAY + MAIL, agents = 'pay, mail'): string =>
  `nodes:\n${nodes}parallel: [{name: a, agents: [${agents}]${settings}, ${RETRY}}]\n`;

const child = (retry: string, settings = ''): string =>
  `nodes: [{name: a, type: workflow, workflow: ./c.yaml${settings}, routes: [{to: $end}, ${retry}]}]\n`;
const ANY = '{on_error: true, retry: {max: 1}}';

const TWO_STEPS = `nodes:
  - {name: pay, type: script, command: x, routes: [{to: mail}]}
  - {name: mail, type: script, command: x, raises: [mail.busy], idempotent: true}
`;

describe('a retry around steps that may have succeeded', () => {
  const expected = ['info retry-around-effects: a pay'];

  it('is reported for a group whose other members can fail', () => {
    expect(repeats(group(''))).toEqual(expected);
    expect(repeats(group(', failure_mode: all_or_nothing'))).toEqual(expected);
    expect(repeats(group(', failure_mode: quorum, quorum: 2'))).toEqual(expected);
    const each = `for_each: [{name: a, source: "{{ [1, 2] }}", as: i, agent: {name: pay, type: script, command: x}, ${RETRY}}]\n`;
    expect(repeats(each)).toEqual(expected);
  });

  it('is reported when the table of the workflow retries', () => {
    const body = group('').replace(`, ${RETRY}`, '');
    expect(repeats(body)).toEqual([]);
    expect(
      repeats(body, { header: ', on_error: [{on_error: group.failed, retry: {max: 1}}]' }),
    ).toEqual(expected);
  });

  it('is not reported where the group fails only when every member did', () => {
    expect(repeats(group(', failure_mode: continue_on_error'))).toEqual([]);
    expect(repeats(group(', failure_mode: quorum, quorum: 1'))).toEqual([]);
    expect(repeats(group('', PAY, 'pay'))).toEqual([]);
  });

  it('is reported for a member with later steps, whatever its failure mode', () => {
    const nodes = `  - {name: pay, type: script, command: x, routes: [{to: mail}]}\n${MAIL}`;
    expect(repeats(group(', failure_mode: continue_on_error', nodes, 'pay'))).toEqual(expected);
    expect(repeats(group(', failure_mode: continue_on_error', nodes, 'mail'))).toEqual([]);
  });

  it('is reported for a sub-workflow that can fail after the step, and for its groups', () => {
    expect(repeats(child(ANY), { child: TWO_STEPS })).toEqual(expected);
    expect(repeats(child('{on_error: mail.busy, retry: {max: 1}}'), { child: TWO_STEPS })).toEqual(
      expected,
    );
    const inner = `nodes:\n${PAY}${MAIL}parallel: [{name: both, agents: [pay, mail]}]\n`;
    const called = inner.replace('nodes:', 'nodes:\n  - {name: zero, type: set, value: 1}');
    expect(repeats(child(ANY), { child: called })).toEqual([]);
    const first = `nodes:\n${PAY.replace('pay', 'charge')}${MAIL}parallel: [{name: pay, agents: [charge, mail]}]\n`;
    expect(repeats(child(ANY), { child: first })).toEqual(['info retry-around-effects: a charge']);
  });

  it('is not reported for a sub-workflow in which no matching failure can follow the step', () => {
    const alone = `nodes:\n${PAY}`;
    expect(repeats(child(ANY), { child: alone })).toEqual([]);
    expect(repeats(child('{on_error: other.kind, retry: {max: 1}}'), { child: alone })).toEqual([]);
    const settled = TWO_STEPS.replace(
      'raises: [mail.busy]',
      'routes: [{to: $end}, {on_error: true, to: $end}]',
    );
    expect(repeats(child(ANY), { child: settled })).toEqual([]);
  });

  it('counts the time of the sub-workflow as something that can fail', () => {
    const settled = TWO_STEPS.replace('raises: [mail.busy]', 'timeout_seconds: 1');
    const retry = '{on_error: limit.node_timeout, retry: {max: 1}}';
    expect(repeats(child(retry, ', timeout_seconds: 9'), { child: settled })).toEqual(expected);
  });

  it('is reported for a supervisor', () => {
    const body = `nodes:\n  - {name: a, type: supervisor, model: sim/x, prompt: go, manages: [pay], ${RETRY}}\n${PAY}`;
    expect(repeats(body)).toEqual(expected);
  });

  it('is not reported for steps that the node or the tool declares idempotent', () => {
    const call = '  - {name: pay, type: call, function: charge}\n';
    expect(repeats(group('', call + MAIL))).toEqual(expected);
    const describes = {
      charge: { isDeclared: true, isIdempotent: true, writes: null },
    };
    const known = { functions: ['charge'], tools: [], describes };
    expect(repeats(group('', call + MAIL), { options: { known: () => known } })).toEqual([]);
    expect(repeats(group('', PAY.replace('x}', 'x, idempotent: true}') + MAIL))).toEqual([]);
  });
});

describe('a retry around an agent with tools', () => {
  const agent = (tools: string, routes = ''): string =>
    `nodes: [{name: a, prompt: Hi, model: sim/x, tools: ${tools}${routes}}]\n`;
  const describes = {
    pay: { isDeclared: true, isIdempotent: false, writes: null },
    look: { isDeclared: true, isIdempotent: false, writes: false },
    put: { isDeclared: true, isIdempotent: true, writes: true },
  };
  const options = {
    known: () => ({ functions: [], tools: ['pay', 'look', 'put'], describes }),
  };
  const expected = ['warning retry-around-tools: a'];

  it('is reported in the table of the node, and in that of the workflow', () => {
    expect(repeats(agent('[put, pay]', `, ${RETRY}`), { options })).toEqual(expected);
    const header = `, on_error: [${ANY}]`;
    expect(repeats(agent('[pay]'), { header, options })).toEqual(expected);
    const own = ', routes: [{to: $end}, {on_error: true, to: $end}]';
    expect(repeats(agent('[pay]', own), { header, options })).toEqual([]);
  });

  it('is not reported for tools that are declared idempotent or do not write', () => {
    for (const tools of ['[put]', '[look, put]', '[]', 'null'])
      expect(repeats(agent(tools, `, ${RETRY}`), { options })).toEqual([]);
  });
});

describe('a retry after a timeout of the node', () => {
  const pay = (settings: string, route = ANY, header = '', options: CheckOptions = {}): string[] =>
    repeats(`nodes: [{name: a, ${settings}, routes: [{to: $end}, ${route}]}]\n`, {
      header,
      options,
    });

  it('is reported where the retry matches it', () => {
    const script = 'type: script, command: x, timeout_seconds: 1';
    expect(pay(script)).toEqual(['info retry-after-timeout: a internal.script_timeout']);
    expect(pay('type: call, function: f, timeout_seconds: 1')).toEqual([
      'info retry-after-timeout: a limit.node_timeout',
    ]);
    expect(
      pay('type: tool, tool: f, timeout_seconds: 1', '{on_error: tool.timeout, retry: {max: 1}}'),
    ).toEqual(['info retry-after-timeout: a tool.timeout']);
  });

  it('is reported for the time limit that the tool itself declares', () => {
    const tools = (isIdempotent: boolean): CheckOptions => {
      const f = { isDeclared: true, isIdempotent, writes: true, timeoutMs: 500 };
      return { known: () => ({ functions: ['f'], tools: ['f'], describes: { f } }) };
    };
    const expected = ['info retry-after-timeout: a tool.timeout'];
    const tool = 'type: tool, tool: f';
    expect(pay(tool, ANY, '', tools(false))).toEqual(expected);
    expect(pay('type: call, function: f', ANY, '', tools(false))).toEqual(expected);
    expect(pay(tool, ANY, '', tools(true))).toEqual([]);
  });

  it('is not reported where repeating is harmless', () => {
    expect(pay('type: script, command: x')).toEqual([]);
    expect(pay('type: script, command: x, timeout_seconds: 1, idempotent: true')).toEqual([]);
    const other = '{on_error: internal.script_error, retry: {max: 1}}';
    expect(pay('type: script, command: x, timeout_seconds: 1', other)).toEqual([]);
    const server = ', runtime: {mcp_servers: {s: {type: stdio, command: x}}}';
    expect(pay('type: tool, tool: s/f, timeout_seconds: 1', ANY, server)).toEqual([]);
  });
});

describe('a retry after an output that is not as declared', () => {
  const pay = (settings: string, route = ANY, header = ''): string[] =>
    repeats(`nodes: [{name: a, ${settings}, routes: [{to: $end}, ${route}]}]\n`, { header });
  const OUTPUT = 'output: {receipt: {type: string}}';

  it('is reported where a wide retry matches it', () => {
    const script = `type: script, command: x, ${OUTPUT}`;
    const expected = ['info retry-after-refusal: a internal.schema_violation'];
    expect(pay(script)).toEqual(expected);
    expect(pay(script, '{on_error: "internal.*", retry: {max: 1}}')).toEqual(expected);
    expect(pay(script, '{on_error: a.b, to: $end}', `, on_error: [${ANY}]`)).toEqual(expected);
    expect(pay(`type: call, function: f, ${OUTPUT}`)).toEqual(expected);
    expect(pay(`type: tool, tool: f, ${OUTPUT}`)).toEqual([
      'info retry-after-refusal: a tool.output_malformed',
    ]);
  });

  it('is not reported where it is meant, harmless, or asked about first', () => {
    expect(pay('type: script, command: x')).toEqual([]);
    expect(pay(`type: script, command: x, idempotent: true, ${OUTPUT}`)).toEqual([]);
    const named = '{on_error: [internal.schema_violation], retry: {max: 1}}';
    expect(pay(`type: script, command: x, ${OUTPUT}`, named)).toEqual([]);
    const other = '{on_error: internal.script_error, retry: {max: 1}}';
    expect(pay(`type: script, command: x, ${OUTPUT}`, other)).toEqual([]);
    const fetch = ', runtime: {http_fetch: {allow: [x.org], methods: [POST]}}';
    const post = `type: tool, tool: http_fetch, arguments: {url: "https://x.org", method: POST}`;
    expect(pay(`${post}, timeout_seconds: 1, ${OUTPUT}`, ANY, fetch)).toEqual([]);
  });
});
