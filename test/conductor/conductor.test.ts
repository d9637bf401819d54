/**
 * Files in the shape of another engine: each key that has a meaning here is run, each that has none is
 * refused by name. Simulated models play them, so nothing needs a key.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/errors/support/safe-json.ts';
import { openErrand, type Errand, type RunEvent } from '../../src/index.ts';

const FILES = join(import.meta.dirname, 'files');

let errand: Errand;

function open(env: Readonly<Record<string, string>> = {}): Promise<Errand> {
  return openErrand({
    store: 'memory',
    directory: FILES,
    env: { PATH: process.env['PATH'] ?? '', ...env },
  });
}

beforeAll(async () => {
  errand = await open({ ERRAND_PROVIDER: 'sim' });
});
afterAll(() => errand.close());

interface Played {
  readonly output: JsonValue;
  readonly events: readonly RunEvent[];
}

async function play(
  file: string,
  input: Readonly<Record<string, string>>,
  answers: Readonly<Record<string, JsonValue>> = {},
): Promise<Played> {
  const run = await errand.start(await errand.load(file), { input });
  let result = await run.result();
  while (result.status === 'paused') {
    const { gate = '' } = result.waiting;
    expect(answers).toHaveProperty(gate);
    const next = await errand.answer(run.id, { gate, value: answers[gate] ?? null });
    if (next === undefined) throw new Error('another process has the run');
    result = await next.result();
  }
  expect(result).toMatchObject({ status: 'completed' });
  const events: RunEvent[] = [];
  for await (const event of errand.history(run.id)) events.push(event);
  return { output: result.status === 'completed' ? result.output : null, events };
}

describe('a file that names a provider which Errand does not have, played by simulated models', () => {
  it('leaves a loop whose guards compare texts, numbers and the iteration', async () => {
    const { output } = await play('loop-until-approved.yaml', { topic: 'ports' });
    expect(output).toEqual({ text: 'simulated', score: 7 });
  });

  it('runs with tools and servers that are not here', async () => {
    const { output } = await play('tools-and-servers.yaml', { topic: 'ports' });
    expect(output).toEqual({ report: 'simulated', sources: 2 });
  });

  it('plays models of every provider that it names', async () => {
    const { output, events } = await play('providers-by-agent.yaml', { question: 'why' });
    expect(output).toEqual({ code: 'simulated' });
    const models = events.flatMap((event) =>
      event.type === 'effect:requested' ? [event.effect.target] : [],
    );
    expect(models).toEqual(['sim/claude-sonnet-4.5', 'sim/claude-haiku-5', 'sim/gpt-5.2']);
  });

  it('runs groups, a script, a gate and a child', async () => {
    const approved = await play(
      'groups-gate-script.yaml',
      { topic: 'ports' },
      { review: 'approved' },
    );
    expect(approved.output).toEqual({ title: 'simulated', body: {} });
    const { output } = await play('calls-a-child.yaml', {});
    expect(output).toEqual({ n: 2 });
  });
});

describe('without a provider that stands in for it', () => {
  it('the file is refused, with the option to give', async () => {
    const plain = await open();
    const verdict = await plain.validate('loop-until-approved.yaml');
    await plain.close();
    expect(verdict.isValid).toBe(false);
    expect(verdict.files[0]?.diagnostics).toMatchObject([
      {
        code: 'unsupported-value',
        kind: 'validation.unsupported',
        pointer: '/workflow/runtime/provider',
      },
    ]);
    expect(verdict.files[0]?.diagnostics[0]?.suggestion).toContain('--provider');
  });

  it('one of ours stands in for the file, and for nodes whose provider we do not have', async () => {
    const ours = await open({ ERRAND_PROVIDER: 'openai' });
    const { plan } = await ours.load('providers-by-agent.yaml');
    const verdict = await ours.validate('providers-by-agent.yaml');
    await ours.close();
    const models = plan.nodes.map((node) =>
      node.type === 'agent' ? (node.model ?? plan.runtime?.defaultModel) : undefined,
    );
    expect(models).toEqual([
      [{ model: 'anthropic/claude-sonnet-4.5' }],
      [{ model: 'openai/gpt-5.2' }],
    ]);
    expect(plan.runtime?.provider).toEqual({
      name: 'openai',
      baseUrl: 'http://127.0.0.1:11434/v1',
      apiKey: 'unused',
    });
    expect(verdict.files[0]?.diagnostics).toContainEqual(
      expect.objectContaining({ code: 'not-used', severity: 'info' }),
    );
  });
});

describe('the settings of a project', () => {
  it('name stand-ins by the name in the file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'errand-settings-'));
    cpSync(FILES, folder, { recursive: true });
    const here = await openErrand({ store: 'memory', directory: folder, env: {} });
    try {
      const settings = join(folder, 'errand.settings.yaml');
      writeFileSync(settings, 'providers: {copilot: openai}');
      const { plan } = await here.load('loop-until-approved.yaml');
      expect(plan.runtime?.defaultModel).toEqual([{ model: 'openai/gpt-5.2' }]);
      for (const text of ['providers: [copilot]', 'provider: {}', 'providers: {copilot: 1}', '{']) {
        writeFileSync(settings, text);
        await expect(here.load('loop-until-approved.yaml')).rejects.toMatchObject({
          kind: 'validation.workflow',
        });
      }
      writeFileSync(settings, 'providers: {copilot: nope}');
      await expect(here.load('loop-until-approved.yaml')).rejects.toMatchObject({
        kind: 'validation.input',
        message: 'No provider is called `nope`, which errand.settings.yaml names',
      });
      rmSync(settings);
      mkdirSync(settings);
      await expect(here.load('loop-until-approved.yaml')).rejects.toMatchObject({
        kind: 'validation.workflow',
        message: 'errand.settings.yaml cannot be read: it is a folder',
      });
    } finally {
      await here.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe('keys with another name here', () => {
  it('set turns, times, efforts, folders and tools', async () => {
    const { plan } = await errand.load('tools-and-servers.yaml');
    const [planner, searcher, writer] = plan.nodes;
    expect(planner).toMatchObject({ maxTurns: 6, timeoutMs: 90_000, tools: [] });
    expect(searcher).toMatchObject({ maxTurns: 3, timeoutMs: 30_000, tools: ['web_search'] });
    expect(writer).toMatchObject({ tools: ['web_search', 'citation_lookup'] });
    expect(plan.runtime).toMatchObject({
      workingDir: './work',
      modelTimeouts: { totalMs: 120_000 },
      mcpServers: { lookup: { workingDir: './work' } },
    });
    const { plan: efforts } = await errand.load('providers-by-agent.yaml');
    expect(efforts.runtime?.reasoning).toBe('medium');
    expect(efforts.nodes[0]).toMatchObject({ reasoning: 'xhigh' });
  });
});

describe('questions', () => {
  it('are answered at one gate, by id', async () => {
    const { output } = await play(
      'questions.yaml',
      { topic: 'ports' },
      { ask: { q1: 'one' }, fixed: { region: 'us', note: 'soon' } },
    );
    expect(output).toEqual({
      transcript: 'Q: simulated\nA: one\n\nQ: simulated-1\nA: (skipped)',
      region: 'us',
      note: 'soon',
      outcome: 'completed',
    });
  });

  it('may be skipped, and the person may stop', async () => {
    const skipped = await play('questions.yaml', { topic: 'ports' }, { ask: 'skip' });
    expect(skipped.output).toMatchObject({ outcome: 'skipped', region: 'none' });
    const stopped = await play(
      'questions.yaml',
      { topic: 'ports' },
      { ask: ['one', 'two'], fixed: 'abort' },
    );
    expect(stopped.output).toMatchObject({ outcome: 'aborted' });
    expect(stopped.events).toContainEqual(
      expect.objectContaining({ type: 'route:taken', node: 'fixed', to: 'aborted' }),
    );
  });

  it.each([
    [{ q9: 'x' }, 'There is no question q9'],
    [['a', 'b', 'c'], 'There are 2 questions, and 3 answers'],
    ['abort', 'These questions cannot be answered with abort'],
  ])('refuse %j', async (value, message) => {
    const run = await errand.start(await errand.load('questions.yaml'), { input: { topic: 'x' } });
    expect(await run.result()).toMatchObject({ status: 'paused', waiting: { gate: 'ask' } });
    await expect(errand.answer(run.id, { value })).rejects.toMatchObject({
      kind: 'validation.input',
      message,
    });
    await errand.cancel(run.id);
  });

  it('refuse an answer that is no choice, and a missing one', async () => {
    const run = await errand.start(await errand.load('questions.yaml'), { input: { topic: 'x' } });
    await run.result();
    const next = await errand.answer(run.id, { value: ['one'] });
    expect(await next?.result()).toMatchObject({ status: 'paused', waiting: { gate: 'fixed' } });
    for (const value of [{ region: 'asia' }, {}])
      await expect(errand.answer(run.id, { value })).rejects.toMatchObject({
        kind: 'validation.input',
      });
    await errand.cancel(run.id);
  });
});

describe('what has no meaning here', () => {
  it('is refused by name, with what to do instead', async () => {
    const { files } = await errand.validate('refused.yaml');
    const refused = files[0]?.diagnostics.map(({ code, pointer, suggestion }) => {
      expect(suggestion).toEqual(expect.any(String));
      return `${code} ${pointer}`;
    });
    expect(refused).toEqual([
      'not-used /workflow/runtime/provider',
      'unsupported-key /workflow/runtime/default_context_tier',
      'unsupported-key /workflow/runtime/skills',
      'unsupported-key /workflow/runtime/skill_discovery',
      'unsupported-key /workflow/runtime/plugin_sources',
      'unsupported-key /workflow/runtime/plugins',
      'unsupported-key /workflow/hooks',
      'unsupported-key /agents/0/session_key',
      'unsupported-key /agents/0/context_tier',
      'unsupported-key /agents/0/sandbox',
      'unsupported-key /agents/0/skills',
      'unsupported-key /agents/0/plugins',
    ]);
  });
});
