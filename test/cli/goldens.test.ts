/** What every command prints when it works and when it does not, as text of 80 columns and as JSON. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LAUNCHER } from '../../src/cli/run-errand.cases.ts';
import { columnsOf } from '../../src/errors/render/columns.ts';
import { newPlace, type Place } from './errand.ts';

/** Else it would be counted from a prompt that tells of the whole format. */
const USAGE = 'usage: {input_tokens: 2000, output_tokens: 100}';

const FILES: Readonly<Record<string, string>> = {
  'good.yaml': `workflow:
  name: good
  entry_point: label
  input: {n: {type: number, default: 1}}
  on_unhandled: fail
  runtime:
    simulate_price_per_mtok: {input: 3, output: 15}
    simulate:
      busy: [{fail: {kind: provider.rate_limited, retry_after: 0.01}}]
      calm: [{answer: {ok: true}, usage: {input_tokens: 100, output_tokens: 10}}]
nodes:
  - {name: label, type: agent, model: [sim/busy, sim/calm], prompt: Hello, tools: [], timeout_seconds: 20, output: {ok: {type: boolean}}}
`,
  'bad.yaml': `workflow: {name: bad, entry_point: fetch, on_unhandled: fail}
nodes:
  - {name: fetch, type: script, command: sh, args: ["-c", "echo no answer >&2; exit 7"], timeout_seconds: 20, routes: [{to: $end}, {on_error: order.missing, to: fetch}]}
`,
  'gate.yaml': `workflow: {name: gated, entry_point: review, on_unhandled: fail}
nodes:
  - {name: review, type: human_gate, prompt: Go on?, options: [{label: Yes, value: yes}, {label: No, value: no}]}
`,
  'wrong.yaml': `workflow: {name: wrong, entry_point: a}
nodes:
  - {name: a, type: agnet, prompt: Hello}
`,
  'good.sim.yaml': `- answer: "workflow: {name: hi, entry_point: a, on_unhandled: fail}\\nnodes:\\n  - {name: a, type: set, value: 1}\\n"\n  ${USAGE}\n`,
  'bad.sim.yaml': `- answer: "nodes: []"\n  ${USAGE}\n`,
};

/** A name, what is typed, and the exit. Words in capitals stand for runs. */
const STEPS: readonly (readonly [name: string, typed: string, exit: number])[] = [
  ['runs-none', 'runs', 0],
  ['init', 'init first.yaml', 0],
  ['init-refused', 'init first.yaml', 2],
  ['draft', 'draft hello --model sim/w --simulate good.sim.yaml', 0],
  ['draft-failed', 'draft hello --model sim/w --simulate bad.sim.yaml', 3],
  ['validate', 'validate good.yaml', 0],
  ['validate-refused', 'validate wrong.yaml', 2],
  ['validate-quiet', 'validate good.yaml wrong.yaml --quiet', 2],
  ['run', 'run good.yaml', 0],
  ['run-failed', 'run bad.yaml', 3],
  ['run-refused', 'run wrong.yaml', 2],
  ['run-paused', 'run gate.yaml', 5],
  ['answer-refused', 'answer GATED --value perhaps', 2],
  ['answer', 'answer GATED --value yes', 0],
  ['resume', 'resume BAD', 3],
  ['resume-refused', 'resume GATED', 2],
  ['retry', 'retry GOOD --from label', 0],
  ['retry-refused', 'retry GOOD --from nobody', 2],
  ['runs', 'runs --limit 4', 0],
  ['runs-quiet', 'runs --limit 4 --quiet', 0],
  ['runs-refused', 'runs --limit none', 2],
  ['show', 'show BAD', 0],
  ['show-refused', 'show 000000000000000000000000', 2],
  ['costs', 'costs GOOD', 0],
  ['costs-refused', 'costs 000000000000000000000000', 2],
  ['audit', 'audit GATED', 0],
  ['audit-refused', 'audit 000000000000000000000000', 2],
  ['watch', 'watch BAD', 0],
  ['watch-refused', 'watch 000000000000000000000000', 2],
  ['explain-run', 'explain BAD', 0],
  ['explain-kind', 'explain provider.quota_exhausted', 0],
  ['explain-refused', 'explain provider.quota_exhaustd', 2],
  ['cancel', 'cancel BAD', 0],
  ['cancel-refused', 'cancel BAD', 2],
  ['prune', 'prune --status completed --workflow gated', 0],
  ['prune-none', 'prune --older-than 30d', 0],
  ['prune-quiet', 'prune --status completed --workflow gated --quiet', 0],
  ['prune-yes', 'prune --status completed --workflow gated --yes', 0],
  ['prune-refused', 'prune --yes', 2],
  ['delete', 'delete BAD', 0],
  ['delete-refused', 'delete BAD', 2],
  ['delete-unknown', 'delete 000000000000000000000000', 2],
  ['show-removed', 'show BAD', 2],
  ['doctor', 'doctor', 0],
  ['completion-bash', 'completion bash', 0],
  ['completion-zsh', 'completion zsh', 0],
  ['completion-fish', 'completion fish', 0],
  ['completion-refused', 'completion csh', 2],
  ['schema', 'schema', 0],
  ['schema-refused', 'schema again', 2],
  ['simulate-refused', 'simulate --port many', 2],
  ['worker-refused', 'worker --concurrency many', 2],
  ['worker-unused', 'worker --on local', 2],
  ['unknown-command', 'rnu', 2],
  ['unknown-option', 'run good.yaml --fast', 2],
  ['unused-option', 'doctor --on temporal', 2],
  ['two-minds', 'run good.yaml --quiet --verbose', 2],
  ['two-forms', 'run good.yaml --json --format markdown', 2],
  ['missing-argument', 'run', 2],
];

/** What is the same whatever is asked for. */
const TEXT_ONLY = /-quiet$|^(completion-[bzf]|two-)/;

/** Checked in, and shown to nobody by the page. */
const SCHEMA = readFileSync(join(import.meta.dirname, '../../schema/workflow.json'), 'utf8');

describe.each(['text', 'json'])('as %s', (format) => {
  let place: Place;
  const runs = new Map<string, string>();
  beforeAll(() => {
    place = newPlace({ isShared: true });
    for (const [name, text] of Object.entries(FILES)) place.write(name, text);
  });
  afterAll(() => place.remove());

  const steps = STEPS.filter(([name]) => format === 'text' || !TEXT_ONLY.test(name));

  it.each(steps)('%s: errand %s', async (name, typed, exit) => {
    const args = typed.split(' ').map((word) => runs.get(word) ?? word);
    const ended = place.run(format === 'text' ? args : [...args, '--format', 'json']);
    // the first id that is printed is that of the run
    const [run = ''] = RUN_ID.exec(ended.stderr + ended.stdout) ?? [];
    const [, file = ''] = /^run (\w+)/.exec(typed) ?? [];
    if (file !== '' && exit !== 2) runs.set(file.replace('gate', 'gated').toUpperCase(), run);
    const answer = ended.stdout === SCHEMA ? '(schema/workflow.json)\n' : ended.stdout;
    const { stdout, stderr } = { stdout: settled(answer), stderr: settled(ended.stderr) };
    expect(ended.exit, ended.stderr).toBe(exit);
    expect(stdout + stderr).not.toContain(place.folder);
    expect(stdout + stderr).not.toMatch(/^ +at .*:\d+:\d+/m);
    if (format === 'json') {
      // events are one object a line
      const texts = name === 'watch' ? ended.stdout.trim().split('\n') : [ended.stdout];
      for (const text of texts) expect(() => JSON.parse(text) as unknown).not.toThrow();
    } else if (!name.startsWith('completion-')) expect(tooWide(stdout + stderr)).toEqual([]);
    await expect(`$ errand ${typed}\n-- stdout\n${stdout}-- stderr\n${stderr}`).toMatchFileSnapshot(
      `__golden__/commands/${name}.${format === 'text' ? 'txt' : 'json.txt'}`,
    );
  });
});

it.each([
  [
    'classify',
    '{"provider": "openai", "status": 429, "body": {"error": {"code": "insufficient_quota"}}}',
    '',
    0,
  ],
  ['classify-refused', 'not JSON', '', 2],
  ['classify-nothing', '', '', 2],
  ['classify-nothing.json', '', ' --format json', 2],
])('%s: errand classify', async (name, stdin, more, exit) => {
  const place = newPlace();
  const typed = `classify${more}`;
  const ended = place.run(typed.split(' '), { stdin });
  place.remove();
  expect(ended.exit).toBe(exit);
  const said = `-- stdout\n${settled(ended.stdout)}-- stderr\n${settled(ended.stderr)}`;
  await expect(`$ errand ${typed}\n${said}`).toMatchFileSnapshot(`__golden__/commands/${name}.txt`);
});

it.each([
  ['simulate', ''],
  ['simulate.json', ' --format json --quiet'],
])('%s: errand simulate', async (name, more) => {
  const place = newPlace();
  const typed = `simulate${more}`;
  const served = await serving(typed.split(' '), place);
  place.remove();
  await expect(`$ errand ${typed}\n${served}`).toMatchFileSnapshot(
    `__golden__/commands/${name}.txt`,
  );
});

/** Asked once, then stopped. */
async function serving(args: readonly string[], { folder, env }: Place): Promise<string> {
  const child = spawn(process.execPath, [LAUNCHER, ...args], { cwd: folder, env });
  const ended = once(child, 'close');
  const said = { stdout: '', stderr: '' };
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.stderr += text));
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    said.stdout += String(chunk);
    const [url] = /http:\/\/127[^"\s]*\/v1/.exec(said.stdout) ?? [];
    if (url === undefined || !said.stdout.includes('GEMINI')) continue;
    const body = JSON.stringify({ model: 'any', messages: [{ role: 'user', content: 'Hello' }] });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${url}/chat/completions`, { method: 'POST', headers, body });
    expect(answer.status).toBe(200);
    await answer.text();
    child.kill('SIGTERM');
  }
  expect(await ended).toEqual([0, null]);
  return `-- stdout\n${settled(said.stdout)}-- stderr\n${settled(said.stderr)}`;
}

/** Lines that a person cannot read at 80 columns; commands and places are copied whole. */
function tooWide(text: string): string[] {
  return text
    .split('\n')
    .filter(
      (line) => columnsOf(line) > 80 && !/errand \w|\.yaml:\d|^ {2}\S+(?: failed)?: /.test(line),
    );
}

/** As drivers name runs, in whatever text they stand. */
const RUN_ID = /\b(?=[a-z]*\d)[0-9a-hjkmnp-tv-z]{24}\b/;
const NO_RUN = '0'.repeat(24);

/** The same on every machine and at every time: ids keep their width, times lose theirs. */
function settled(text: string): string {
  return text
    .replaceAll(new RegExp(RUN_ID, 'g'), NO_RUN)
    .replaceAll(/(?<=127\.0\.0\.1:)\d+/g, '8080')
    .replaceAll(/err_[0-9a-z]{16}/g, 'err_0000000000000000')
    .replaceAll(/(?<=removed on )\d{4}-\d\d-\d\d/g, '2026-01-01')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '2026-01-01T00:00:00.000Z')
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ/g, '2026-01-01 00:00:00Z')
    .replaceAll(/\b\d\d:\d\d:\d\d\.\d{3}\b/g, '00:00:00.000')
    .replaceAll(/"latencyMs": \d+/g, '"latencyMs": 0')
    .replaceAll(/"key":( ?)"[0-9a-f]{40}"/g, '"key":$1"0000000000000000"')
    .replaceAll(/\bcli(:[\w.@-]+)?(?="|\s)/g, 'cli')
    .replaceAll(/"detail": "\d+\.\d+\.\d+"/g, '"detail": "0.0.0"')
    .replaceAll(/(?<=(?:node|errand) {2,4})\d+\.\d+\.\d+/g, '0.0.0')
    .replaceAll(/(?<=completed in |TOOK {2,}|took )\d+(?:\.\d+)? (?:ms|s)/g, '0 ms')
    .replaceAll(/ +\d+(?:\.\d+)? (?:ms|s) +(?=\S)/g, '  0 ms  ')
    .replaceAll(/(?<=STATUS .*|ATTEMPT .*|^AT .*) {2,}(?=\S)/gm, '  ');
}
