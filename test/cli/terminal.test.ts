/** What a person at a terminal sees and types. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LAUNCHER } from '../../src/cli/run-errand.cases.ts';
import { newPlace, type Place } from './errand.ts';
import { durationWords } from '../../src/errors/render/report-words.ts';
import { HAS_TERMINALS, onTerminal } from './on-a-terminal.ts';

const GATE = `workflow: {name: gated, entry_point: review}
nodes:
  - {name: review, type: human_gate, prompt: Pay the refund?, options: [{label: Approve it, value: yes, route: done}, {label: Refuse, value: no, prompt_for: reason}], routes: [{to: refused}]}
  - {name: done, type: set, value: paid}
  - {name: refused, type: set, value: "{{ review.output.additional_input }}"}
`;

/** The branch `work` ends only after the gate of the other was answered: both have to go on at once. */
const BUSY = `workflow: {name: busy, entry_point: both}
nodes:
  - {name: review, type: human_gate, prompt: Pay?, options: [{label: Yes, value: yes}, {label: No, value: no}], routes: [{to: release}]}
  - {name: release, type: set, value: "{{ review.output.selected }}", routes: [{to: tell}]}
  - {name: tell, type: script, command: sh, args: ["-c", "echo {{ release.output }} > go; cat go"], routes: [{to: $end}]}
  - {name: work, type: script, idempotent: true, command: sh, args: ["-c", "echo begun; i=0; while [ ! -e go ] && [ $i -lt 1200 ]; do sleep 0.05; i=$((i+1)); done; [ -e go ]"], routes: [{to: $end}]}
parallel:
  - {name: both, agents: [review, work], routes: [{to: $end}]}
output: {said: "{{ both.outputs.review.stdout | trim }}"}
`;

const FAILS = `workflow:
  name: fails
  entry_point: ask
  runtime:
    simulate:
      one: [{fail: {kind: provider.overloaded, retry_after: 0.3}}, {fail: {kind: provider.auth}}]
nodes:
  - {name: ask, type: agent, model: sim/one, prompt: Hello, tools: []}
`;

const SLOW = `workflow: {name: slow, entry_point: sleep}
nodes:
  - {name: sleep, type: wait, duration: 60s}
`;

describe.skipIf(!HAS_TERMINALS)('at a terminal', { timeout: 300_000 }, () => {
  let place: Place;
  beforeAll(() => {
    place = newPlace();
    place.write('gate.yaml', GATE);
    place.write('fails.yaml', FAILS);
    place.write('busy.yaml', BUSY);
    place.write(
      'brief.yaml',
      BUSY.replace('prompt: Pay?', 'prompt: Pay?, timeout: 4s, default: no'),
    );
    place.write('slow.yaml', SLOW);
    place.write('short.yaml', SLOW.replace('name: slow', 'name: short').replace('60s', '3s'));
  });
  afterAll(() => place.remove());

  const runId = (): string => (place.json(['runs']) as { run: string }[])[0]?.run ?? '';

  it('asks at a gate, asks again after an invalid answer, and takes a text', async () => {
    const { exit, screen } = await onTerminal(place, ['run', 'gate.yaml'], {
      keys: [
        ['answer: ', 'perhaps\n'],
        ['answer: ', '2\n'],
        ['reason: ', 'too late\n'],
      ],
    });
    const id = runId();
    expect(exit).toBe(0);
    expect(screen).toEqual([
      `▸ gated (${id})`,
      '  ? review  Pay the refund?',
      'review asks: Pay the refund?',
      '  1  yes  Approve it',
      '  2  no  Refuse',
      'Choose 1–2, or press Ctrl-C to answer later.',
      'answer: perhaps',
      'Type one of the answers or its number, 1 to 2.',
      'answer: 2',
      'reason: too late',
      `▸ gated (${id})`,
      '  ✓ review',
      '  ✓ refused',
      expect.stringMatching(/^▪ completed in \d/),
      '"too late"',
      '',
    ]);
  });

  it('prints how long the run took, not how long its last leg did', async () => {
    const { screen } = await onTerminal(place, ['run', 'gate.yaml'], {
      keys: [['answer: ', '1\n']],
    });
    const path = join(place.folder, '.errand', 'runs', runId(), 'events.jsonl');
    const times = [...readFileSync(path, 'utf8').matchAll(/"at":"(?<at>[^"]+)"/g)].map((found) =>
      Date.parse(found.groups?.['at'] ?? ''),
    );
    const tookMs = (times.at(-1) ?? 0) - (times[0] ?? 0);
    expect(tookMs).toBeGreaterThan(0);
    expect(screen).toContain(`▪ completed in ${durationWords(tookMs)}`);
  });

  it('withdraws the question when another process answers the gate', async () => {
    const before = runId();
    const asked = onTerminal(place, ['run', 'gate.yaml']);
    const isWaiting = (): boolean => {
      const [run] = place.json(['runs']) as { run: string; status: string }[];
      return run !== undefined && run.run !== before && run.status === 'paused';
    };
    while (!isWaiting()) await nextTurn();
    const answered = place.json(['answer', runId(), '--value', 'yes']);
    expect(answered).toMatchObject({ status: 'completed' });
    const { exit, screen } = await asked;
    expect(exit).toBe(0);
    expect(screen).toContain('Another process has resumed the run; following it.');
    expect(screen.some((line) => line.startsWith('▪ completed in'))).toBe(true);
  });

  it('leaves the run paused at Ctrl-C, and says how to answer', async () => {
    const { exit, screen } = await onTerminal(place, ['run', 'gate.yaml'], {
      keys: [['answer: ', '\u0003']],
    });
    const id = runId();
    expect(exit).toBe(5);
    expect(screen.slice(-7)).toEqual([
      'answer:',
      '▪ paused; the run is safe',
      '  review waits for an answer (yes, no)',
      '  Pay the refund?',
      `  answer: errand answer ${id} review --value yes`,
      `  answer: errand answer ${id} review --value '{"selected":"no","additional_input":"…"}'`,
      '',
    ]);
    expect(place.json(['show', id])).toMatchObject({ status: 'paused' });
  });

  it('asks as soon as a gate opens, while another branch runs', async () => {
    const { exit, screen } = await onTerminal(place, ['run', 'busy.yaml'], {
      keys: [['answer: ', 'yes\n']],
    });
    expect([exit, ...screen.slice(-4)]).toEqual([0, '{', '  "said": "yes"', '}', '']);
    expect(place.json(['audit', runId()])).toMatchObject([
      { what: 'answer', path: 'both[review]/review' },
    ]);
  });

  it('stops all of it at Ctrl-C in a question, and asks again when it is resumed', async () => {
    rmSync(join(place.folder, 'go'), { force: true });
    const left = await onTerminal(place, ['run', 'busy.yaml'], { keys: [['answer: ', '\u0003']] });
    const id = runId();
    expect(left.exit).toBe(130);
    expect(left.screen.at(-2)).toBe(
      `▪ interrupted; the run is safe. Resume with: errand resume ${id}`,
    );
    const { exit, screen } = await onTerminal(place, ['resume', id], {
      keys: [['answer: ', '2\n']],
    });
    expect([exit, ...screen.slice(-4)]).toEqual([0, '{', '  "said": "no"', '}', '']);
  });

  it.each([
    ['while another branch continues', []],
    ['when the run has come to rest', ['go']],
  ])('withdraws a question when it expires, %s', async (_when, files) => {
    rmSync(join(place.folder, 'go'), { force: true });
    for (const file of files) place.write(file, '');
    const { exit, screen } = await onTerminal(place, ['run', 'brief.yaml']);
    expect(exit).toBe(0);
    expect(screen.slice(-4)).toEqual(['{', '  "said": "no"', '}', '']);
    expect(screen.join('\n')).toContain('answer:');
  });

  it('draws in place, leaves the last picture, and puts the panel below it', async () => {
    const { exit, screen, written } = await onTerminal(place, ['run', 'fails.yaml'], {
      env: { NO_COLOR: '1' },
    });
    expect(exit).toBe(3);
    expect(written).toContain('ask  again in 1 s (provider.overloaded)');
    expect(written).not.toMatch(/\u001b\[\d+m/);
    expect(screen.slice(0, 3)).toEqual([
      // and how long it took, on a slow machine
      expect.stringMatching(new RegExp(String.raw`^▸ fails \(${runId()}\)(  \d+ s)?$`)),
      expect.stringMatching(/^  ✗ ask  provider\.auth, 2 requests, sim\/one(, [\d.]+ s)?$/),
      expect.stringMatching(/^╭─ Credentials rejected ─+╮$/),
    ]);
    expect(screen.join('\n')).toContain(`Resume: errand resume ${runId()}`);
  });

  it('has no frame on a narrow screen', async () => {
    const { screen } = await onTerminal(place, ['run', 'fails.yaml'], { columns: 40 });
    // what is to be copied is never broken
    const texts = screen.filter((line) => !line.includes(': errand '));
    expect(Math.max(...texts.map((line) => line.length))).toBeLessThanOrEqual(40);
    expect(screen).toContain('kind       provider.auth');
    expect(screen.join('\n')).not.toContain('│');
  });

  it('follows a run in another process to its end', async () => {
    const carrier = spawn(process.execPath, [LAUNCHER, 'run', 'short.yaml', '--json'], {
      cwd: place.folder,
      env: place.env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines = createInterface({ input: carrier.stdout });
    const [first] = (await once(lines, 'line')) as [string];
    const { run } = JSON.parse(first) as { run: string };
    const { exit, screen } = await onTerminal(place, ['watch', run]);
    expect(exit).toBe(0);
    expect(screen).toEqual([
      expect.stringMatching(/^▸ short \(.*\)  \d s$/),
      expect.stringMatching(/^  ✓ sleep  \d+(\.\d)? s$/),
      expect.stringMatching(/^▪ completed in \d+(\.\d)? s$/),
      '{',
      '  "waited_seconds": 3',
      '}',
      '',
    ]);
  });

  it('stops at Ctrl-C with the run safe, and prints no stack trace', async () => {
    const { exit, screen } = await onTerminal(place, ['run', 'slow.yaml'], {
      keys: [['sleep', '\u0003']],
    });
    expect(exit).toBe(130);
    // the terminal itself may show the key that was pressed, wherever the line stands just then
    expect(screen.at(-2)?.replace('^C', '')).toBe(
      `▪ interrupted; the run is safe. Resume with: errand resume ${runId()}`,
    );
    expect(place.json(['show', runId()])).toMatchObject({ status: 'interrupted' });
  });
});
