/** Everything the command line draws, held to golden files at fixed widths. */
import { describe, expect, it } from 'vitest';
import { auditText } from '../../src/cli/commands/audit.ts';
import { costsText } from '../../src/cli/commands/costs.ts';
import { doctorText, nodeVersion } from '../../src/cli/commands/doctor.ts';
import { runsText } from '../../src/cli/commands/runs.ts';
import { EventLines } from '../../src/cli/session/event-line.ts';
import { chosen, optionsOf, questionText } from '../../src/cli/session/gate-prompt.ts';
import { completedText, pausedText } from '../../src/cli/screen/ending-text.ts';
import { afterFailure, failurePanel } from '../../src/cli/screen/failure-panel.ts';
import { failuresMarkdown, failuresText } from '../../src/cli/screen/failure-history-text.ts';
import { liveLines } from '../../src/cli/screen/live-lines.ts';
import { LiveState } from '../../src/cli/screen/live-state.ts';
import { showText } from '../../src/cli/screen/show-text.ts';
import { shellWord } from '../../src/errors/support/shell-word.ts';
import { tokenWords, usdWords } from '../../src/cli/screen/number-words.ts';
import { buildReport } from '../../src/errors/report/build.ts';
import { columnsOf } from '../../src/errors/render/columns.ts';
import { auditTrail } from '../../src/history/audit-trail.ts';
import { failureHistories } from '../../src/history/failure-history.ts';
import { costsOf } from '../../src/history/cost-ledger.ts';
import { viewOf } from '../../src/history/run-view.cases.ts';
import { nodeTimelines } from '../../src/history/node-timeline.ts';
import { forPerson } from '../../src/errors/report/audiences.ts';
import { recordOf, SAMPLE_NAMES, sampleRun, type SampleRun } from './sample-runs.ts';

const STYLE = /\u001b\[\d+m/g;

type Look = { readonly columns: number; readonly color: boolean };

/** How a leg ends, in whatever way it does. */
function ending(sample: SampleRun, look: Look): string {
  const { run, events, result, plan } = sample;
  const costs = costsOf(events);
  const nowMs = Date.parse(events.at(-1)?.at ?? '');
  if (result.status === 'failed') {
    const history = failureHistories(plan, events).findLast(({ id }) => id === result.error.id);
    const commands = afterFailure(run);
    return failurePanel({ run, error: result.error, costs, history, commands }, look);
  }
  if (result.status === 'paused') return pausedText(run, result.waiting, { events, nowMs });
  return completedText({
    run,
    tookMs: 1500,
    costs,
    handled: failureHistories(plan, events).length,
  });
}

function failures({ run, events, plan, result }: SampleRun): Parameters<typeof failuresText>[0] {
  return {
    run,
    workflow: plan.name,
    status: result.status,
    failures: failureHistories(plan, events),
  };
}

function shown(sample: SampleRun): string {
  const { run, plan, result, events } = sample;
  const record = recordOf(sample);
  const nowMs = Date.parse(events.at(-1)?.at ?? '');
  return showText(
    {
      run,
      workflow: plan.name,
      file: plan.file,
      status: result.status,
      input: {},
      ...(result.status === 'completed' ? { output: result.output } : {}),
      ...(result.status === 'failed' ? { error: forPerson(result.error) } : {}),
      ...(result.status === 'paused' ? { waiting: result.waiting } : {}),
      in_doubt: [],
      nodes: nodeTimelines(viewOf(events)),
      costs: costsOf(events),
    },
    { record, events, columns: 80, nowMs },
  );
}

/** Each picture that the live view would have shown, once. */
function pictures({ events }: SampleRun, look: Look & { readonly rows: number }): string {
  const state = new LiveState();
  const frames: string[] = [];
  for (const event of events) {
    state.note(event);
    const lines = liveLines(state, { ...look, nowMs: Date.parse(event.at) });
    const frame = lines.join('\n');
    if (frame !== frames.at(-1)) frames.push(frame);
  }
  return frames.join('\n---\n');
}

function lines({ events }: SampleRun, verbose: boolean): string {
  const reported = new EventLines({ verbose });
  return events.flatMap((event) => reported.of(event) ?? []).join('\n');
}

const FORMS: Record<string, (sample: SampleRun) => string> = {
  'ending-80.txt': (sample) => ending(sample, { columns: 80, color: false }),
  'ending-50.txt': (sample) => ending(sample, { columns: 50, color: false }),
  'explain.txt': (sample) => failuresText(failures(sample), { columns: 80, color: false }),
  'explain.md': (sample) => failuresMarkdown(failures(sample)),
  'show.txt': shown,
  'costs.txt': ({ events }) => costsText(costsOf(events), 80),
  'audit.txt': ({ events }) => auditText(auditTrail(events), 80),
  'live.txt': (sample) => pictures(sample, { columns: 80, rows: 24, color: false }),
  'lines.txt': (sample) => lines(sample, false),
  'lines-verbose.txt': (sample) => lines(sample, true),
};

describe.each(SAMPLE_NAMES)('the run %s', (name) => {
  it.each(Object.entries(FORMS))('is shown as in %s', async (form, render) => {
    const text = render(await sampleRun(name));
    await expect(`${text.trimEnd()}\n`).toMatchFileSnapshot(`__golden__/${name}/${form}`);
  });

  it.each([60, 80, 100])('ends in lines of at most %i columns', async (columns) => {
    const sample = await sampleRun(name);
    if (sample.result.status !== 'failed') return;
    const text = ending(sample, { columns, color: false });
    expect(new Set(text.split('\n').map(columnsOf))).toEqual(new Set([columns]));
  });

  it('has the same text in colour', async () => {
    const sample = await sampleRun(name);
    const plain = { columns: 80, rows: 24, color: false };
    const colored = { ...plain, color: true };
    expect(ending(sample, colored).replace(STYLE, '')).toBe(ending(sample, plain));
    expect(pictures(sample, colored)).not.toBe(pictures(sample, plain));
    expect(pictures(sample, colored).replace(STYLE, '')).toBe(pictures(sample, plain));
  });
});

describe('a screen', () => {
  it('is never overrun, however many nodes there are', async () => {
    const { events } = await sampleRun('group');
    const state = new LiveState();
    for (const event of events) state.note(event);
    const frame = { columns: 20, rows: 5, color: false, nowMs: Date.parse(events[0]?.at ?? '') };
    const drawn = liveLines(state, frame);
    expect(drawn).toHaveLength(4);
    expect(drawn.at(-1)).toBe('  … 2 more');
    expect(Math.max(...drawn.map(columnsOf))).toBeLessThan(20);
  });

  it('counts a wait down', async () => {
    const { events } = await sampleRun('spent');
    const state = new LiveState();
    const retrying = events.findIndex(({ type }) => type === 'node:retrying');
    for (const event of events.slice(0, retrying + 1)) state.note(event);
    const atMs = Date.parse(events[retrying]?.at ?? '');
    const at = (ms: number): string | undefined =>
      liveLines(state, { columns: 80, rows: 24, color: false, nowMs: atMs + ms })[1];
    expect([at(0), at(500), at(1000)]).toEqual([
      '  ◌ fetch  again in 1 s (internal.script_error)',
      '  ◌ fetch  again in 1 s (internal.script_error)',
      '  ◌ fetch  again in a moment (internal.script_error)',
    ]);
  });
});

describe('similar failures', () => {
  it('are printed in full a few times, then counted', async () => {
    const sample = failures(await sampleRun('fallback'));
    const [history] = sample.failures;
    if (history === undefined) throw new Error('the sample has no failure');
    const many = Array.from({ length: 52 }, (_, at) => ({ ...history, path: `each[${at}]/one` }));
    const text = failuresText({ ...sample, failures: many }, { columns: 80, color: false });
    expect(text.match(/^\d+\. /gm)).toHaveLength(2);
    expect(text.replace(/\s+/g, ' ')).toContain(
      `and 50 more of ${history.kind} at each[…]/one: handled (each[2]/one, each[3]/one,`,
    );
    expect(text).toContain(`All of them in full: errand explain ${sample.run} --format json`);
    const other = { ...history, path: 'last' };
    const both = failuresText(
      { ...sample, failures: [...many, other] },
      { columns: 80, color: false },
    );
    expect(both).toContain(`53. ${history.kind} at last`);
  });
});

describe('a narrow screen', () => {
  it('breaks costs between cells, and a question between words', async () => {
    const { events } = await sampleRun('fallback');
    const bill = costsText(costsOf(events), 60).split('\n');
    expect(Math.max(...bill.slice(0, -4).map(columnsOf))).toBeLessThanOrEqual(60);
    const kinds = events.flatMap((event) =>
      event.type === 'effect:failed' ? [event.error.kind] : [],
    );
    for (const kind of kinds) expect(bill.join('\n')).toContain(kind);

    const prompt = 'Shall the order be refunded although its window has passed already?';
    const opened = {
      seq: 1,
      run: 'r',
      at: '2026-03-01T12:00:00.000Z',
      type: 'gate:opened' as const,
      node: 'ask',
      path: 'ask',
      gate: 'ask',
      prompt,
      options: ['yes'],
    };
    const question = questionText(opened, [{ value: 'yes' }], 40).split('\n');
    expect(Math.max(...question.slice(0, -1).map(columnsOf))).toBeLessThanOrEqual(40);
    // each line of a prompt is marked, so that none passes for an answer below it
    const marked = question.filter((line) => line.startsWith('  │ '));
    expect(marked.map((line) => line.slice(4)).join(' ')).toBe(prompt);
    expect(marked.length).toBeGreaterThan(1);
    expect(question.at(-1)).toBe('Choose 1, or press Ctrl-C to answer later.');
  });
});

describe('foreign text that is wrapped', () => {
  const SAID = '▪ completed in 1 ms';
  const FORGED = /^ {0,3}▪/m;

  it('begin no line of a failure, framed or not', () => {
    for (let at = 0; at < 40; at++) {
      const message = `${'w '.repeat(at)}${SAID}`;
      const stamp = { id: 'x', at: '2026-03-01T12:00:00.000Z' };
      const error = buildReport({ kind: 'internal.script_error', message }, { stamp });
      const commands = [`Check it: errand validate '${'w'.repeat(at)}: ${SAID}: ${SAID}.yaml'`];
      for (const columns of [24, 50, 80])
        expect(failurePanel({ error, commands }, { columns, color: false })).not.toMatch(FORGED);
    }
  });

  it('begin no line of failures that are counted', async () => {
    const sample = failures(await sampleRun('fallback'));
    const [history] = sample.failures;
    if (history === undefined) throw new Error('the sample has no failure');
    for (let pad = 0; pad < 40; pad++) {
      const path = `each[${'w '.repeat(pad)}${SAID}]/one`;
      const many = [path, path, path, path].map((each) => ({ ...history, path: each }));
      const text = failuresText({ ...sample, failures: many }, { columns: 60, color: false });
      expect(text).not.toMatch(FORGED);
    }
  });
});

describe('a failure that did not stop a run', () => {
  it('is a warning, or a recovery', () => {
    const at = '2026-03-01T12:00:03.000Z';
    const of = (
      kind: 'store.unavailable' | 'provider.not_configured',
      message: string,
      more: { readonly reason: string; readonly isWarning?: true },
    ): string => {
      const stamp = { id: 'x', at: '2026-03-01T12:00:00.000Z' };
      const error = buildReport({ kind, message }, { stamp });
      const event = { seq: 1, run: 'r', at, type: 'error:suppressed' as const, error, ...more };
      return new EventLines().of(event) ?? '';
    };
    const unpriced = 'm has no price, so this call is not counted';
    expect(of('store.unavailable', 'The store is away', { reason: 'the store came back' })).toBe(
      '  recovered: the store came back after 3 s',
    );
    // what is only worth saying is said once, and what failed says what became of it
    expect(
      of('provider.not_configured', unpriced, { reason: 'not counted', isWarning: true }),
    ).toBe(`  warning: ${unpriced}`);
    expect(of('provider.not_configured', 'm has no key', { reason: 'n was asked' })).toBe(
      '  warning: provider.not_configured: m has no key (n was asked)',
    );
  });
});

describe('a list of runs', () => {
  it('shows below each what it waits for or failed with', async () => {
    const all = await Promise.all(SAMPLE_NAMES.map(sampleRun));
    const listed = all.map((sample) => {
      const { result } = sample;
      const { claim: _claim, plan: _plan, head: _head, ...summary } = recordOf(sample);
      const error = result.status === 'failed' ? { error: result.error } : {};
      return { ...summary, ...error };
    });
    await expect(`${runsText(listed, 80)}\n`).toMatchFileSnapshot('__golden__/runs.txt');
  });

  it('is not broken inside a cell on a narrow screen, and is coloured on a terminal', () => {
    const run = {
      run: '3f0c7a52-9b1e',
      workflow: 'a workflow with a long name',
      status: 'paused',
      startedAt: '2026-03-01T12:00:00.000Z',
      endedAt: '2026-03-01T12:01:00.000Z',
      waiting: { reason: 'time', path: 'ask', until: '2026-03-01T13:00:00.000Z', all: [] },
      due: true,
      costUsdMicros: 1_075_000,
    } as const;
    expect(runsText([run], 60).split('\n')).toEqual([
      'RUN  STATUS  STARTED  TOOK  COST  WORKFLOW',
      '3f0c7a52-9b1e  paused  2026-03-01 12:00:00Z  1 min  $1.075',
      '    a workflow with a long name',
      '    ask waits until 2026-03-01 13:00:00Z',
      '    due; resume with: errand resume 3f0c7a52-9b1e',
    ]);
    const coloured = runsText([run], 100, { color: true });
    expect(coloured).toContain('\u001b[33mpaused\u001b[0m  2026');
    expect(coloured.replace(/\u001b\[\d+m/g, '')).toBe(runsText([run], 100));
  });

  it('shows how to start the first one', () => {
    expect(runsText([], 80)).toBe('No runs yet. Start one with: errand run FILE');
  });
});

describe('a question', () => {
  const opened = {
    type: 'gate:opened',
    seq: 3,
    run: 'r',
    at: '2026-03-01T12:00:00.000Z',
    node: 'review',
    path: 'review',
    gate: 'review',
    prompt: 'Pay it?',
    options: ['yes', 'no', 2],
  } as const;

  it('names each answer with its number', () => {
    expect(questionText(opened, optionsOf(opened, undefined)).split('\n')).toEqual([
      'review asks: Pay it?',
      '  1  yes',
      '  2  no',
      '  3  2',
      'Choose 1–3, or press Ctrl-C to answer later.',
    ]);
  });

  it('takes an answer by its value before its number', () => {
    const options = optionsOf(opened, undefined);
    expect(['yes', ' 1 ', '2', '3', '4', ''].map((typed) => chosen(typed, options)?.value)).toEqual(
      ['yes', 'yes', 2, 2, undefined, undefined],
    );
  });
});

describe('the doctor', () => {
  it('prints what to do below the problems', () => {
    const findings = [nodeVersion('18.0.0'), nodeVersion('24.1.0')];
    expect(doctorText(findings, 80).split('\n')).toEqual([
      '✗  node  18.0.0; Errand needs 22.18 or newer',
      '✓  node  24.1.0',
      '',
      'node: Install Node 22.18 or newer.',
      'These models need no key: sim/ (errand init writes a workflow), and those that',
      'you serve yourself: ollama/, lmstudio/, vllm/, openai-compatible/.',
    ]);
  });
});

describe('amounts', () => {
  it('are never rounded, so that one amount reads the same everywhere', () => {
    expect([0, 1, 480, 12_345, 49_980, 500_000, 1_075_000, 12_500_000].map(usdWords)).toEqual([
      '$0',
      '$0.000001',
      '$0.00048',
      '$0.012345',
      '$0.04998',
      '$0.50',
      '$1.075',
      '$12.50',
    ]);
  });

  it('of tokens stay short', () => {
    expect([0, 999, 1234, 45_678].map(tokenWords)).toEqual(['0', '999', '1.2k', '46k']);
  });

  it('are quoted for a shell only where needed', () => {
    expect(['each[3]/one', 'plain', "it's"].map(shellWord)).toEqual([
      "'each[3]/one'",
      'plain',
      `'it'\\''s'`,
    ]);
  });
});
