/** `errand draft`: what is not valid goes back to the model, and only what is valid is given out. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { draftGuide } from '../../src/cli/draft/guide.ts';
import { newPlace, type Place } from './errand.ts';

const GOOD = `workflow: {name: hello, entry_point: greet, on_unhandled: fail}
nodes:
  - {name: greet, type: agent, model: sim/any, prompt: Hi, tools: [], timeout_seconds: 30}
`;
const BAD = GOOD.replace('type: agent', 'type: agnet');

/** A simulated model that writes these, one after the other. */
function script(...answers: readonly string[]): string {
  const usage = { input_tokens: 2000, output_tokens: 100 };
  return JSON.stringify(answers.map((answer) => ({ answer, usage })));
}

describe('errand draft', () => {
  let place: Place;
  beforeAll(() => {
    place = newPlace({ isShared: true });
    place.write('good.sim.yaml', script(GOOD));
    place.write('better.sim.yaml', script(BAD, `\`\`\`yaml\n${GOOD}\`\`\``));
    place.write('bad.sim.yaml', script(BAD));
    place.write(
      'late.sim.yaml',
      JSON.stringify([{ fail: { kind: 'provider.auth' } }, { answer: GOOD }]),
    );
    place.write('there.yaml', 'mine');
  });
  afterAll(() => place.remove());

  const draft = (name: string, ...more: readonly string[]) =>
    place.run(['draft', 'greet', '--model', 'sim/w', '--simulate', `${name}.sim.yaml`, ...more]);

  it('prints a valid file, and nothing else, to stdout', () => {
    expect(draft('good', '--quiet')).toEqual({ exit: 0, stdout: GOOD, stderr: '' });
  });

  it('sends the diagnostics to the model, and writes the corrected file', () => {
    const { exit, stdout, stderr } = draft('better', '--out', 'hello.yaml');
    expect([exit, stdout]).toEqual([
      0,
      'Wrote hello.yaml. Check what can fail in it and what it can cost: errand validate hello.yaml\n',
    ]);
    expect(stderr).toContain('draft.not_valid: The draft is not valid: `type` must be a node type');
    // the fence that the model put around it is gone
    expect(readFileSync(join(place.folder, 'hello.yaml'), 'utf8')).toBe(GOOD);
    expect(place.run(['validate', 'hello.yaml']).exit).toBe(0);
    const run = place.lastRun();
    const log = readFileSync(join(place.folder, '.errand/runs', run, 'events.jsonl'), 'utf8');
    const prompts = [...log.matchAll(/"prompt":\{"text":"(?:[^"\\]|\\.)*/g)].map(String);
    expect(prompts.at(-1)).toMatch(/type: agnet.*did you mean `agent`/);
    expect(place.json(['costs', run])).toMatchObject({
      attempts: [{ inputTokens: 2000 }, { type: 'call' }, { inputTokens: 2000 }, { type: 'call' }],
    });
  });

  it('gives up after three drafts, with the diagnostics of the last, and writes nothing', () => {
    const { exit, stdout, stderr } = draft('bad', '--out', 'never.yaml', '--format', 'json');
    const { status, error, costs } = JSON.parse(stdout) as Record<string, unknown>;
    expect([exit, stderr, status]).toEqual([3, '', 'failed']);
    expect(error).toMatchObject({
      kind: 'architect.failed',
      retryable: false,
      details: {
        rounds: 3,
        diagnostics: [expect.stringMatching(/^draft\.yaml:3:25 error: `type` must be a node type/)],
      },
    });
    const { attempts } = costs as { attempts: { type: string }[] };
    expect(attempts.filter(({ type }) => type === 'model')).toHaveLength(3);
    expect(existsSync(join(place.folder, 'never.yaml'))).toBe(false);
  });

  it('is a run like any other: what failed on the way is resumed', () => {
    expect(draft('late').exit).toBe(3);
    const run = place.lastRun();
    const { exit, stdout } = place.run(['resume', run, '--quiet']);
    expect([exit, JSON.parse(stdout)]).toEqual([0, { file: GOOD }]);
  });

  it.each([
    ['an existing file', ['--model', 'sim/w', '--out', 'there.yaml'], /already exists/],
    ['no model', [], /No model is set to write the draft/],
    ['an unknown provider', ['--model', 'opnai/gpt'], /Did you mean `openai\/gpt`\?/],
    ['a model without its provider', ['--model', 'gpt'], /--simulate\. Write `provider\/model`/],
    ['a script of a real model', ['--model', 'openai/gpt', '--simulate', 'x'], /is not simulated/],
    ['a script that does not exist', ['--model', 'sim/w', '--simulate', 'x'], /no such file/],
  ])('spends nothing on %s', (_what, args, message) => {
    const before = readdirSync(join(place.folder, '.errand/runs'));
    const { exit, stdout, stderr } = place.run(['draft', 'greet', ...args]);
    expect([exit, stdout]).toEqual([2, '']);
    expect(stderr.replace(/\s*│\n│\s*/g, ' ')).toMatch(message);
    expect(readdirSync(join(place.folder, '.errand/runs'))).toEqual(before);
    expect(readFileSync(join(place.folder, 'there.yaml'), 'utf8')).toBe('mine');
  });

  it('teaches a file that is valid, and every node type that the schema has', () => {
    const guide = draftGuide();
    const example = /# A file that is valid\n\n(?<file>[\s\S]*?)\n\n# Node types/.exec(guide);
    place.write('taught.yaml', example?.groups?.['file'] ?? '');
    expect(place.run(['validate', '--strict', 'taught.yaml']).exit).toBe(0);
    const { stdout } = place.run(['schema']);
    for (const [, type = ''] of stdout.matchAll(/"const": "(\w+)"/g))
      if (['agent', 'script', 'human_gate', 'for_each'].includes(type))
        expect(guide).toContain(`- type: ${type}. `);
  });
});
