/** Ends from outside the script: time limit, abort, and leftover processes. */
import { getEventListeners } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { EffectClock } from '../clock.ts';
import { processesWith, reportOf, standStill } from '../effect-port.cases.ts';
import { openScriptBench } from './script-effect.cases.ts';
import { SCRIPTS_AHEAD } from './script-pipes.ts';

const bench = openScriptBench();
const { bash, folder } = bench;
afterEach(() => expect(bench.leftBehind(), 'error files left behind').toEqual([]));
afterAll(() => bench.dispose());

/** A number in the command line of every process of one test, to find them again. */
let markers = 0;
const newMarker = (): string => `98${process.pid}${++markers}7`;

const RAISE = `echo '{"kind":"order.missing","message":"gone"}' > "$ERRAND_ERROR_OUT"`;

/** Tells the clock that the script has come as far as its test needs. */
const READY = `touch ${folder}/$$.ready`;

/** Its time is up when the script is ready, so that no machine is too slow for the script. */
function whenReady(): EffectClock {
  const before = readyFiles();
  return {
    now: () => 0,
    after: (_ms, fire) => {
      const timer = setInterval(() => {
        if (readyFiles() === before) return;
        clearInterval(timer);
        fire();
      }, 5);
      return () => clearInterval(timer);
    },
  };
}

function readyFiles(): number {
  return readdirSync(folder).filter((name) => name.endsWith('.ready')).length;
}

describe('a timeout', () => {
  it('is internal.script_timeout, partial, with what was printed so far', async () => {
    const marker = newMarker();
    const text = `echo before; echo err >&2; ${READY}; sleep ${marker}`;
    const result = await bash(text, { timeoutMs: 300 }, { clock: whenReady() });
    expect(reportOf(result)).toMatchObject({
      kind: 'internal.script_timeout',
      outcome: 'partial',
      message: 'The script ran longer than its time limit and was stopped',
      details: { stderr_tail: 'err\n', signal: 'SIGTERM' },
    });
    expect(result).toMatchObject({ output: { stdout: 'before\n', exit_code: null } });
    expect(processesWith(marker)).toEqual([]);
  });

  it('is none where the script ended in time and only this process stood still', async () => {
    const marker = newMarker();
    const text = `echo done; : ${marker}`;
    const observe = (): void => standStill(() => processesWith(marker).length === 0);
    const result = await bash(text, { timeoutMs: 50 }, { observe });
    expect(result).toMatchObject({ ok: true, output: { stdout: 'done\n', exit_code: 0 } });
  });

  it('is the failure that the script wrote before it', async () => {
    const text = `${RAISE}; ${READY}; sleep ${newMarker()}`;
    const result = await bash(text, { timeoutMs: 300 }, { clock: whenReady() });
    expect(reportOf(result)).toMatchObject({
      kind: 'order.missing',
      message: 'gone',
      outcome: 'partial',
    });
  });

  it('is the failure that the script writes on TERM', async () => {
    const result = await bash(
      `trap '${RAISE.replaceAll("'", `'"'"'`)}; exit 0' TERM; ${READY}; while :; do sleep 0.01; done`,
      { timeoutMs: 300 },
      { clock: whenReady() },
    );
    expect(reportOf(result).kind).toBe('order.missing');
  });

  it('kills what ignores TERM, after 2 seconds, with its whole group', async () => {
    const marker = newMarker();
    const started = performance.now();
    const result = await bash(
      `trap '' TERM; (trap '' TERM; sleep ${marker}) & (sleep ${marker}) & ${READY}; sleep ${marker}; sleep ${marker}; wait`,
      { timeoutMs: 200 },
      { clock: whenReady() },
    );
    const tookMs = performance.now() - started;
    expect(reportOf(result)).toMatchObject({
      kind: 'internal.script_timeout',
      details: { signal: 'SIGKILL' },
    });
    // none of the processes ends by itself, so there is no upper bound to check
    expect(tookMs).toBeGreaterThan(1950);
    expect(processesWith(marker)).toEqual([]);
  });

  it('of more than a timer can hold does not fire at once', async () => {
    const result = await bash('echo done', { timeoutMs: 2 ** 40 });
    expect(result).toMatchObject({ ok: true });
  });
});

describe('an abort', () => {
  it('ends the whole group and is the cancellation that the caller names', async () => {
    const marker = newMarker();
    const control = new AbortController();
    const running = bash(
      `echo begun; ${RAISE}; sleep ${marker} & sleep ${marker} & wait`,
      {},
      { signal: control.signal, cancelled: 'cancelled.node' },
    );
    await until(() => processesWith(marker).length >= 3);
    control.abort();
    const result = await running;
    expect(processesWith(marker)).toEqual([]);
    // cancelled beats failed
    expect(reportOf(result)).toMatchObject({ kind: 'cancelled.node', outcome: 'unknown' });
    expect(result).toMatchObject({ output: { stdout: 'begun\n' } });
  });

  /** Aborted when it is ready, and then let go. */
  async function aborted(text: string, request: Parameters<typeof bash>[1] = {}) {
    const control = new AbortController();
    const before = readyFiles();
    const go = join(folder, `${newMarker()}.go`);
    const wait = `${READY}; until test -e ${go}; do sleep 0.01; done`;
    const script = text.split('WAIT').join(wait);
    const running = bash(script, request, {
      signal: control.signal,
      cancelled: 'cancelled.node',
    });
    await until(() => readyFiles() > before);
    control.abort();
    writeFileSync(go, '');
    return running;
  }

  it.each(['exit 0', 'exit 1', 'exit 255'])(
    'that a script answers with `%s` has cut its work short',
    async (end) => {
      const result = await aborted(`trap '${end}' TERM; ${READY}; while :; do sleep 0.01; done`);
      expect(reportOf(result)).toMatchObject({ kind: 'cancelled.node', outcome: 'unknown' });
    },
  );

  it('that a script ignores does not change its end', async () => {
    expect(await aborted(`trap '' TERM; WAIT; echo done`)).toMatchObject({
      ok: true,
      output: { stdout: 'done\n' },
    });
    expect(reportOf(await aborted(`trap '' TERM; WAIT; exit 3`))).toMatchObject({
      kind: 'internal.script_error',
      outcome: 'failed',
    });
  });

  it.each(['echo {}', 'exit 3', RAISE])(
    'that kills a child of a script that ignores it has cut its work short: `%s`',
    async (end) => {
      // Node and others reset what their parent ignores
      const child = `env --default-signal=TERM bash -c '${READY}; sleep ${newMarker()}'`;
      for (const request of [{}, { outputSchema: { type: 'object' } }]) {
        const result = await aborted(`trap '' TERM; ${child}; ${end}`, request);
        expect(reportOf(result)).toMatchObject({ kind: 'cancelled.node', outcome: 'unknown' });
      }
    },
  );

  it('is followed by what the script says itself: its declared output, or its error file', async () => {
    const says = (what: string): string =>
      `trap '${what.replaceAll("'", `'"'"'`)}; exit 0' TERM; ${READY}; while :; do sleep 0.01; done`;
    const outputSchema = { type: 'object', required: ['n'] };
    expect(await aborted(says(`echo '{"n":1}'`), { outputSchema })).toMatchObject({ ok: true });
    expect(reportOf(await aborted(says('true'), { outputSchema })).kind).toBe('cancelled.node');
    expect(reportOf(await aborted(says(RAISE))).kind).toBe('order.missing');
  });

  it('before the start runs nothing', async () => {
    const result = await bash(`touch ${folder}/never`, {}, { signal: AbortSignal.abort() });
    expect(reportOf(result)).toMatchObject({ kind: 'cancelled.tool', outcome: 'not_started' });
    expect(() => readFileSync(join(folder, 'never'))).toThrow('ENOENT');
  });

  it('leaves no listener behind, and neither does an ordinary end', async () => {
    const control = new AbortController();
    await bash('true', { timeoutMs: 60_000 }, { signal: control.signal });
    expect(getEventListeners(control.signal, 'abort')).toEqual([]);
  });
});

describe('what a script leaves running', () => {
  it('may finish by itself, and its output counts', async () => {
    const result = await bash('(sleep 0.05; echo late) & echo early');
    expect(result).toMatchObject({ ok: true, output: { stdout: 'early\nlate\n', exit_code: 0 } });
  });

  it('keeps the output of a pipe behind the script', async () => {
    const result = await bash(`exec > >(sed 's/^/> /'); seq 1 2000`);
    expect(String((result as { output: Record<string, unknown> }).output['stdout'])).toMatch(
      /> 2000\n$/,
    );
  });

  it('is ended with it, and does not delay the result', async () => {
    const marker = newMarker();
    const result = await bash(`(trap '' TERM; sleep ${marker}) & sleep ${marker} & echo out`);
    expect(result).toMatchObject({ ok: true, output: { stdout: 'out\n' } });
    expect(processesWith(marker)).toEqual([]);
  });

  it('on its own, out of the group, is left alone, even when it holds the output', async () => {
    const marker = newMarker();
    const result = await bash(`setsid sleep ${marker} & echo out`);
    expect(result).toMatchObject({ ok: true, output: { stdout: 'out\n', exit_code: 0 } });
    const left = processesWith(marker);
    expect(left).toHaveLength(1);
    left.forEach((pid) => process.kill(pid, 'SIGKILL'));
  });
});

it('leaves no open descriptor, child or timer behind', async () => {
  const texts = ['true', 'exit 3', 'kill -9 $$', 'exec no-such-thing', 'echo out', 'echo err >&2'];
  // pipes are made for so many scripts at once, so after as many there are as many to spare
  expect(texts.length + 2).toBe(SCRIPTS_AHEAD + 1);
  await bash('true', { stdin: 'x' });
  const before = readdirSync('/proc/self/fd').length;
  for (const text of texts) await bash(text, { stdin: 'x', timeoutMs: 60_000 });
  await bench.run({ command: 'no-such-command', stdin: 'x' });
  await bench.run({ args: ['\0'], stdin: 'x' });
  await new Promise((resolve) => setImmediate(resolve));
  expect(readdirSync('/proc/self/fd').length).toBeLessThanOrEqual(before);
  const children = process.getActiveResourcesInfo().filter((name) => name === 'ProcessWrap');
  expect(children).toEqual([]);
});

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 5));
}
