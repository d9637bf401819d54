/**
 * The command is killed by a signal that nobody can catch, while a real provider streams to it, while
 * it backs off, and while it is with the second model of its chain; and then it continues.
 */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requireSdks } from '../sdk-parity/install.ts';
import { logOf } from '../survival/one-leg.ts';
import { anyErrand, startErrand } from '../survival/process.ts';
import { KEY, SDKS } from './harness.ts';
import { PROTOCOLS, type Protocol } from './protocols.ts';
import { refuses, stalls, startUpstream, streams, type Reply, type Upstream } from './upstream.ts';

const POLL_MS = 20;

const root = mkdtempSync(join(tmpdir(), 'errand-model-kill-'));
const upstreams: Upstream[] = [];
beforeAll(() => requireSdks());
afterAll(async () => {
  for (const upstream of upstreams) await upstream.close();
  rmSync(root, { recursive: true, force: true });
});

function protocol(name: string): Protocol {
  const found = PROTOCOLS.find((each) => each.name === name);
  if (found === undefined) throw new Error(`no protocol ${name}`);
  return found;
}

const OPENAI = protocol('responses');
const ANTHROPIC = protocol('messages');
const says = (each: Protocol, text: string): Reply =>
  streams(each.stream({ text, stop: each.stops.good }));

interface Said {
  readonly run: string;
  readonly status: string;
  readonly output?: unknown;
  readonly costs: { readonly attempts: readonly { target: string; outcome: string }[] };
}

interface Story {
  readonly said: Said;
  /** The models that were asked, in order, and when. */
  readonly asked: readonly string[];
  readonly timesMs: readonly number[];
}

/**
 * Each request gets the next reply; the process is killed after the request of that number, once so
 * many of them are known to have ended.
 */
async function killedAt(
  { number, ended }: { readonly number: number; readonly ended: number },
  replies: readonly Reply[],
): Promise<Story> {
  const cwd = join(root, String(upstreams.length));
  mkdirSync(cwd);
  symlinkSync(join(SDKS, 'node_modules'), join(cwd, 'node_modules'));
  const models = ['openai/m', 'anthropic/m'];
  writeFileSync(
    join(cwd, 't.yaml'),
    JSON.stringify({
      workflow: { name: 't', entry_point: 'a' },
      nodes: [
        { name: 'a', prompt: 'One.', model: 'openai/first', tools: [], routes: [{ to: 'b' }] },
        { name: 'b', prompt: 'Two.', model: models, tools: [] },
      ],
      output: { a: '{{ a.output.result }}', b: '{{ b.output.result }}' },
    }),
  );
  const upstream = await startUpstream();
  upstreams.push(upstream);
  const reached = Promise.withResolvers<void>();
  const timesMs: number[] = [];
  upstream.answer((response, received) => {
    timesMs.push(performance.now());
    const reply = replies[timesMs.length - 1];
    if (reply === undefined) response.writeHead(599).end();
    else reply(response, received);
    if (timesMs.length === number) reached.resolve();
  });
  const env = {
    ERRAND_HOME: join(cwd, 'home'),
    OPENAI_API_KEY: KEY,
    OPENAI_BASE_URL: `${upstream.url}/v1`,
    ANTHROPIC_API_KEY: KEY,
    ANTHROPIC_BASE_URL: `${upstream.url}/v1`,
  };
  const first = startErrand(['run', 't.yaml'], { cwd, env });
  await Promise.race([reached.promise, first.ended]);
  const run = await settled(join(cwd, 'home', 'errand.db'), ended);
  first.kill('SIGKILL');
  await first.ended;
  const resumed = await anyErrand(['resume', run, '--format', 'json'], { cwd, env });
  const asked = upstream.received.map(({ body }) => String(body['model']));
  return { said: JSON.parse(resumed.stdout) as Said, asked, timesMs };
}

/**
 * The run, as soon as the store knows how so many of its calls have ended. Read in this process: a
 * command may take as long as the backoff that it looks for.
 */
async function settled(store: string, ended: number): Promise<string> {
  for (;;) {
    const { run = '', events = [] } = (await logOf(store)) ?? {};
    const known = events.filter(({ type }) => /^effect:(?:succeeded|failed)$/.test(type));
    if (known.length >= ended) return run;
    await after(POLL_MS);
  }
}

describe('killed in the middle', () => {
  it('of a stream: what was answered is not asked again, and the lost call is on the bill', async () => {
    const { said, asked } = await killedAt({ number: 2, ended: 1 }, [
      says(OPENAI, 'one'),
      stalls(OPENAI.beginning),
      says(OPENAI, 'two'),
    ]);
    expect(said).toMatchObject({ status: 'completed', output: { a: 'one', b: 'two' } });
    expect(asked).toEqual(['first', 'm', 'm']);
    expect(said.costs.attempts.map(({ outcome }) => outcome)).toEqual([
      'succeeded',
      'unknown',
      'succeeded',
    ]);
  });

  it('of a backoff: it waits for what is left of it, and not anew', async () => {
    const limit = { error: { message: 'Slow down.' } };
    const { said, asked, timesMs } = await killedAt({ number: 3, ended: 3 }, [
      says(OPENAI, 'one'),
      refuses(429, limit, { 'retry-after': '6' }),
      refuses(429, limit, { 'retry-after': '60' }),
      says(OPENAI, 'two'),
    ]);
    expect(said).toMatchObject({ status: 'completed', output: { a: 'one', b: 'two' } });
    expect(asked).toEqual(['first', 'm', 'm', 'm']);
    const [, limited = 0, , again = 0] = timesMs;
    expect(again - limited).toBeGreaterThanOrEqual(5_990);
    expect(said.costs.attempts).toHaveLength(4);
  });

  it('of a fallback: it continues with the second model, and the first one rests', async () => {
    const { said, asked } = await killedAt({ number: 3, ended: 2 }, [
      says(OPENAI, 'one'),
      refuses(503, { error: { message: 'overloaded' } }, { 'retry-after': '90' }),
      stalls(ANTHROPIC.beginning),
      says(ANTHROPIC, 'two'),
    ]);
    expect(said).toMatchObject({ status: 'completed', output: { a: 'one', b: 'two' } });
    expect(said.costs.attempts.map(({ target }) => target)).toEqual([
      'openai/first',
      'openai/m',
      'anthropic/m',
      'anthropic/m',
    ]);
    expect(asked).toHaveLength(4);
  });
});
