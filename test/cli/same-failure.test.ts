/** One failure is the same in every form in which it is printed or stored. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderProblem } from '../../src/errors/render/problem-document.ts';
import type { ErrorReport } from '../../src/errors/report/report.ts';
import { newPlace, type Place } from './errand.ts';

/** A spent quota inside of a sub-workflow, in the member of a group that a route takes no part of. */
const FILES = {
  'top.yaml': `workflow: {name: top, entry_point: call, on_unhandled: fail}
nodes:
  - {name: call, type: workflow, workflow: ./deep.yaml}
`,
  'deep.yaml': `workflow:
  name: deep
  entry_point: ask
  runtime:
    simulate:
      clerk: [{fail: {provider: openai, status: 429, body: {error: {code: insufficient_quota}}}}]
nodes:
  - {name: ask, type: agent, model: sim/clerk, prompt: Hello, tools: []}
`,
};

const WANTED = {
  kind: 'provider.quota_exhausted',
  category: 'capacity',
  retryable: false,
  action: {
    kind: 'check_billing',
    detail: 'Check billing at OpenAI, or add a fallback model.',
  },
  location: {
    workflow: 'deep',
    node: 'ask',
    path: 'call/ask',
    file: 'deep.yaml',
    pointer: '/nodes/0',
    line: 8,
    column: 5,
  },
};

function facts(report: unknown): object {
  const { kind, category, retryable, action, location } = report as Record<string, unknown>;
  return { kind, category, retryable, action, location };
}

describe('one failure', () => {
  let place: Place;
  let run: string;
  let stored: Record<string, unknown>;
  beforeAll(() => {
    place = newPlace({ isShared: true });
    for (const [name, text] of Object.entries(FILES)) place.write(name, text);
    expect(place.run(['run', 'top.yaml', '-q']).exit).toBe(3);
    run = place.lastRun();
    const path = join(place.folder, '.errand/runs', run, 'errors.jsonl');
    stored = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
  });
  afterAll(() => place.remove());

  it('is in errors.jsonl, with its run', () => {
    expect([stored['run'], facts(stored)]).toEqual([run, WANTED]);
  });

  it('is the last of the events that --json prints, and what ended each layer', () => {
    const { exit, stdout } = place.run(['run', 'top.yaml', '--json']);
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; error?: unknown });
    const failures = events.filter(({ error }) => error !== undefined);
    expect(exit).toBe(3);
    expect(failures.map(({ type }) => type)).toEqual([
      'effect:failed',
      'node:failed',
      'node:failed',
      'run:failed',
    ]);
    for (const { error } of failures) expect(facts(error)).toEqual(WANTED);
  });

  it('is in the object of --format json, of show and of explain', () => {
    const object = JSON.parse(place.run(['run', 'top.yaml', '--format', 'json']).stdout) as {
      error: unknown;
    };
    const shown = place.json(['show', run]) as { error: unknown };
    const reported = place.json(['explain', run]) as { error: unknown; life: { error: unknown }[] };
    for (const error of [object.error, shown.error, reported.error, reported.life.at(-1)?.error])
      expect(facts(error)).toEqual(WANTED);
  });

  it('is in the panel, the history, the line and the Markdown, word for word', () => {
    const flat = (text: string): string =>
      text.replaceAll(/[│╭╰─╮╯\\]+/g, ' ').replaceAll(/\s+/g, ' ');
    const panel = flat(place.run(['run', 'top.yaml']).stderr);
    const story = flat(place.run(['explain', run]).stdout);
    const line = flat(place.run(['run', 'top.yaml', '--quiet']).stderr);
    const markdown = flat(place.run(['run', 'top.yaml', '--format', 'markdown']).stdout);
    for (const text of [panel, story, line, markdown]) {
      expect(text).toContain('provider.quota_exhausted');
      expect(text).toContain('capacity');
      expect(text).toContain('call/ask in deep (deep.yaml:8:5)');
    }
    for (const text of [panel, story, line, markdown]) {
      expect(text).toMatch(/[Rr]etryable:?(?:\*\*)? no/);
      expect(text).toContain('Check billing at OpenAI, or add a fallback model.');
      expect(text).toContain('check_billing');
    }
    expect(story).toContain('ended the run');
  });

  it('is in the problem document', () => {
    // as it was stored, which is what a server reads
    const { body: problem } = renderProblem(stored as unknown as ErrorReport);
    expect(problem).toMatchObject({
      type: 'urn:errand:error:provider.quota_exhausted',
      instance: stored['id'],
      kind: WANTED.kind,
      category: WANTED.category,
      retryable: WANTED.retryable,
      action: WANTED.action,
    });
    const { workflow, node, path } = WANTED.location;
    expect(problem.location).toMatchObject({ workflow, node, path });
  });
});
