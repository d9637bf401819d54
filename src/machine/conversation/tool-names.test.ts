/** Every call reaches the tool that was offered under its name. */
import { describe, expect, it } from 'vitest';
import type { ToolDescriptions } from '../../workflow/authoring/tool-description.ts';
import { Stage } from './conversation.cases.ts';
import { toolCalled, wireNames } from './tool-names.ts';

const READS = { isDeclared: true, isIdempotent: true, writes: false } as const;

function toolsCalled(...names: readonly string[]): ToolDescriptions {
  return Object.fromEntries(names.map((name) => [name, READS]));
}

describe('the names under which a model is offered tools', () => {
  it.each([
    ['that differ in what providers do not take', ['acme/x', 'acme.x', 'acme__x', 'acme x']],
    ['that are longer than providers take', [`${'a'.repeat(70)}.1`, `${'a'.repeat(70)}.2`]],
    ['that Errand has of its own', ['write_state', 'raise_error', 'write.state']],
  ])('are distinct and taken by every provider, for tools %s', (_, names) => {
    const tools = toolsCalled(...names);
    const wire = [...wireNames(tools).values()];
    expect(new Set([...wire, 'write_state', 'raise_error']).size).toBe(wire.length + 2);
    for (const name of wire) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    for (const [name, called] of wireNames(tools)) expect(toolCalled(tools, called)).toBe(name);
  });

  it('are their own where they can be, and do not depend on the order of the tools', () => {
    const names = ['acme.x', 'acme/x', 'acme__x', 'look'];
    const wire = Object.fromEntries(wireNames(toolsCalled(...names)));
    expect(wire).toEqual({
      look: 'look',
      acme__x: 'acme__x',
      'acme.x': 'acme__x_2',
      'acme/x': 'acme__x_3',
    });
    expect(Object.fromEntries(wireNames(toolsCalled(...names.toReversed())))).toEqual(wire);
  });
});

describe('an agent', () => {
  const stage = (calls: readonly object[], node: object, ...names: readonly string[]): Stage =>
    new Stage(
      {
        workflow: {
          name: 't',
          entry_point: 'a',
          runtime: {
            simulate: { m: [...calls.map((call) => ({ tool_calls: [call] })), { answer: 'end' }] },
          },
          state: { total: { type: 'number', default: 0 } },
        },
        nodes: [{ name: 'a', model: 'sim/m', prompt: 'hi', ...node }],
        output: { total: '{{ state.total }}' },
      },
      {
        describes: toolsCalled(...names),
        tools: Object.fromEntries(names.map((name) => [name, () => 1])),
      },
    ).play();
  const called = ({ events }: Stage): readonly string[] =>
    events.flatMap((event) =>
      event.type === 'effect:requested' && event.effect.type === 'tool'
        ? [event.effect.target]
        : [],
    );

  it('that may use one of two tools with like names calls that one', () => {
    const call = { name: 'acme__x_2', arguments: {} };
    expect(called(stage([call], { tools: ['acme/x'] }, 'acme.x', 'acme/x'))).toEqual(['acme/x']);
    expect(
      called(stage([{ ...call, name: 'acme__x' }], { tools: ['acme/x'] }, 'acme.x', 'acme/x')),
    ).toEqual([]);
  });

  it('does not write state through a tool that only shares the name', () => {
    const given = { key: 'total', value: 7 };
    const { state, events } = stage(
      [{ name: 'write_state_2', arguments: given }],
      { tools: ['write_state'] },
      'write_state',
    );
    expect(events.map(({ type }) => type)).toContain('run:completed');
    expect(state.output).toEqual({ total: 0 });
  });
});
