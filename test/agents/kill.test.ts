/**
 * An agent with eight tool calls is killed around its commits, by a signal that nobody can catch, and
 * taken up again. `ERRAND_KILLS=all` tries every place.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { KillEnvironment } from '../survival/kill-hook.ts';
import type { KillPoint } from '../survival/kill-points.ts';
import { errand } from '../survival/process.ts';

const HOOK = join(import.meta.dirname, '../survival/kill-hook.ts');
const IS_ALL = process.env['ERRAND_KILLS'] === 'all';
const TOOLS = 8;
/** The run itself, eight rounds of a model and a tool, the last answer, and some to spare. */
const APPENDS = 2 * TOOLS + 3;

const root = mkdtempSync(join(tmpdir(), 'errand-agent-kill-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const MODULE = `import { appendFileSync } from 'node:fs';
import { tool } from 'errand';
const step = (idempotent) => tool({
  writes: true,
  idempotent,
  run: ({ n }, { idempotencyKey }) => { appendFileSync('did', n + ' ' + idempotencyKey + '\\n'); return n; },
});
export const safe = step(true);
export const once = step(false);`;

function workflow(tool: string): string {
  const calls = Array.from({ length: TOOLS }, (_, index) => ({
    tool_calls: [{ name: tool, arguments: { n: index + 1 } }],
  }));
  return JSON.stringify({
    workflow: {
      name: 't',
      entry_point: 'a',
      module: './tools.ts',
      runtime: { simulate: { m: [...calls, { answer: 'end' }] } },
    },
    nodes: [{ name: 'a', model: 'sim/m', prompt: 'hi', tools: [tool] }],
  });
}

interface Said {
  readonly run: string;
  readonly status: string;
  readonly output?: unknown;
  readonly waiting?: { readonly reason: string };
}

/** Undefined when it got to its end before the place. */
async function killedAt(
  tool: string,
  kill: KillPoint,
): Promise<{ said: Said; did: readonly string[]; isInDoubt: boolean } | undefined> {
  const cwd = join(root, `${tool}-${kill.when}-${kill.append}`);
  mkdirSync(cwd);
  writeFileSync(join(cwd, 't.yaml'), workflow(tool));
  writeFileSync(join(cwd, 'tools.ts'), MODULE);
  const env = { ERRAND_HOME: join(cwd, 'home') };
  const hooked: KillEnvironment = { ERRAND_TEST_KILL: JSON.stringify(kill) };
  const first = await errand(['run', 't.yaml', '--format', 'json'], {
    cwd,
    env: { ...env, ...hooked },
    node: ['--import', HOOK],
  });
  if (first.signal !== 'SIGKILL') return undefined;
  const runs = await errand(['runs', '--format', 'json'], { cwd, env });
  const [run] = JSON.parse(runs.stdout) as readonly Said[];
  // killed before there was a run to take up, or after its last word
  if (run === undefined || run.status === 'completed') return undefined;
  const resumed = await errand(['resume', run.run, '--format', 'json'], { cwd, env });
  const said = JSON.parse(resumed.stdout) as Said;
  const log = readFileSync(join(cwd, 'home', 'runs', run.run, 'events.jsonl'), 'utf8');
  return { said, did: didIn(cwd), isInDoubt: log.includes('"kind":"effect.outcome_unknown"') };
}

function didIn(folder: string): readonly string[] {
  try {
    return readFileSync(join(folder, 'did'), 'utf8').split('\n').slice(0, -1);
  } catch {
    // it never got that far
    return [];
  }
}

const POINTS: readonly KillPoint[] = Array.from({ length: APPENDS * 2 }, (_, index) => ({
  when: index % 2 === 0 ? ('before' as const) : ('after' as const),
  append: 1 + Math.floor(index / 2),
}));
const EACH = IS_ALL ? POINTS : POINTS.filter((_, index) => index % 18 === 11);
const number = (line: string): string => line.split(' ')[0] ?? '';

describe('killed around a commit of eight tool calls', () => {
  it.concurrent.each(EACH)(
    'goes on where it was, with what may be repeated under the same key: $when $append',
    async (point) => {
      const result = await killedAt('safe', point);
      if (result === undefined) return;
      expect(result.said).toMatchObject({ status: 'completed', output: { result: 'end' } });
      const keys = new Set(result.did);
      expect([...keys].map(number)).toEqual(['1', '2', '3', '4', '5', '6', '7', '8']);
      // at most the one that was under way
      expect(result.did.length - keys.size).toBeLessThanOrEqual(1);
    },
    120_000,
  );

  it.concurrent.each(EACH)(
    'does nothing twice that may not be, and asks where it cannot know: $when $append',
    async (point) => {
      const result = await killedAt('once', point);
      if (result === undefined) return;
      const { said, did, isInDoubt } = result;
      expect(new Set(did.map(number)).size, 'one was done twice').toBe(did.length);
      if (isInDoubt)
        expect(said).toMatchObject({ status: 'paused', waiting: { reason: 'outcome' } });
      else expect(said).toMatchObject({ status: 'completed', output: { result: 'end' } });
    },
    120_000,
  );
});
