/**
 * Strings that would repaint a terminal, hide words, turn them round or begin lines of their own, by every
 * door that others have to a screen; and every command that shows what came in by them. Nothing reaches
 * the screen but words, line feeds and the few commands that we write ourselves.
 */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newPlace, type Ended, type Place } from './errand.ts';
import { HAS_TERMINALS, onTerminal } from './on-a-terminal.ts';

const FORGED =
  '\n▪ FORGED in 1 ms\nFORGED\n  FORGED completed\u2028FORGED\u0085FORGED\rFORGED\u000bFORGED\u000cFORGED';
const COMMANDS =
  '\u001b]0;pwn\u0007\u001b[2J\u001b[31mPLANTED\u009b2J\u009d0;x\u009c\u0000\u0008\u007f';
const MARKS = '\u202etxt.exe\u2066\u200f\u200e\u061c\u2029\u206a\ufff9\u{e0041}';
const MARKDOWN =
  '](javascript:alert(1)) <img src=x onerror=alert(1)> ![x](y) https://evil.example `code` |';
const HOSTILE = `h${COMMANDS}${MARKS}${FORGED}`;
/** A word of a command cannot have a NUL. */
const TYPED = HOSTILE.replaceAll('\u0000', '');

const FILES: Readonly<Record<string, string>> = {
  'gate.yaml': `workflow:
  name: gate
  entry_point: ask
  input: {ticket: {type: string}}
nodes:
  - {name: ask, type: human_gate, prompt: "Ok? {{ workflow.input.ticket }}", options: [{value: "yes", label: "Yes ${'$'}{LABEL}", route: $end}, {value: "no${'$'}{LABEL}", label: "No", route: $end}]}
`,
  'each.yaml': `workflow: {name: each, entry_point: g, on_unhandled: fail, input: {keys: {type: array}, words: {type: string}}}
for_each:
  - name: g
    source: workflow.input.keys
    as: k
    key_by: k
    failure_mode: continue_on_error
    agent: {name: one, type: script, command: sh, args: ["-c", 'cat; printf "%s" "$WORDS" >&2; printf "%s" "$REPORT" > "$ERRAND_ERROR_OUT"; exit 3'], stdin: "{{ k }}", env: {WORDS: "{{ workflow.input.words }}", REPORT: "{{ {'kind': 'ext.bad', 'message': workflow.input.words, 'details': {'a': workflow.input.words}} | tojson }}"}, raises: [ext.bad]}
    routes: [{to: $end}]
`,
  'done.yaml': `workflow: {name: done, entry_point: a, input: {words: {type: string}}}
nodes:
  - {name: a, type: set, value: {said: "{{ workflow.input.words }}"}, routes: [{to: $end}]}
output: {said: "{{ a.output.said }}"}
`,
  'tool.yaml': `workflow: {name: tool, entry_point: clerk, module: ./tools.mjs, on_unhandled: fail, runtime: {simulate: {clerk: [{tool_calls: [{name: pay, arguments: {to: ${JSON.stringify(HOSTILE)}}}]}, {answer: ok}]}}}
agents:
  - {name: clerk, prompt: pay, model: sim/clerk, tools: [pay], policy: {ask: [pay]}, routes: [{to: $end}]}
`,
  'model.yaml': `workflow: {name: model, entry_point: a}
agents: [{name: a, prompt: hi, model: ${JSON.stringify(`nobody/${HOSTILE}`)}, tools: [], routes: [{to: $end}]}]
`,
  'names.yaml': `workflow: {name: ${JSON.stringify(HOSTILE)}, description: ${JSON.stringify(HOSTILE)}, entry_point: ${JSON.stringify(HOSTILE)}, ${JSON.stringify(HOSTILE)}: 1}
nodes: [{name: ${JSON.stringify(HOSTILE)}, type: ${JSON.stringify(HOSTILE)}}]
`,
  'named.yaml': `workflow: {name: ${JSON.stringify(HOSTILE)}, entry_point: a}
nodes: [{name: a, type: set, value: ${JSON.stringify(HOSTILE)}, routes: [{to: $end}]}]
`,
  'tools.mjs': `export const pay = async () => 'paid';\n`,
};

/** Not the text of an input: what comes from a variable is taken out of everything that has it. */
const ENV = { LABEL: `label ${HOSTILE.replaceAll('\u0000', '')}` };

/** Commands of ours to a terminal, and of the line editor that asks. */
const OURS = /\u001b\[(?:(?:0|1|2|31|32|33|36)m|\?2026[hl]|K|J|0J|\d+[AG])/g;
const UNSEEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/u;

function expectClean(text: string): void {
  expect(text).not.toMatch(/\u001b\[31mPLANTED/);
  expect(text).not.toMatch(/^(?:▪ |▸ | {0,2})FORGED/m);
  const left = UNSEEN.exec(text);
  const around = left === null ? '' : text.slice(Math.max(0, left.index - 80), left.index + 20);
  expect(JSON.stringify(around)).toBe('""');
}

let place: Place;
/** One of each workflow. */
const runs: string[] = [];
const seen = new Set<string>();

function errand(...args: readonly string[]): Ended {
  const ended = place.run(args, { env: ENV });
  expectClean(ended.stdout + ended.stderr);
  return ended;
}

beforeAll(() => {
  place = newPlace({ isShared: true });
  for (const [name, text] of Object.entries(FILES)) place.write(name, text);
  place.write('gate.json', JSON.stringify({ ticket: HOSTILE }));
  place.write('words.json', JSON.stringify({ words: HOSTILE }));
  place.write(
    'keys.json',
    JSON.stringify({ keys: [HOSTILE, `x${MARKDOWN}`, `y${FORGED}`], words: HOSTILE + MARKDOWN }),
  );
});
afterAll(() => place.remove());

const STARTS: readonly (readonly string[])[] = [
  ['run', 'gate.yaml', '--input', 'gate.json'],
  ['run', 'each.yaml', '--input', 'keys.json'],
  ['run', 'done.yaml', '--input', 'words.json'],
  ['run', 'tool.yaml'],
  ['run', 'named.yaml'],
  ['run', 'done.yaml', '-i', `words=${TYPED}`],
];

describe('a hostile string', () => {
  it.each(STARTS)('%s %s starts a run, and shows it safely in every form', (...args) => {
    for (const more of [
      [],
      ['--verbose'],
      ['--format', 'markdown'],
      ['--json'],
      ['--format', 'json'],
    ]) {
      const { stdout, exit } = errand(...args, ...more);
      expect([0, 3, 5]).toContain(exit);
      // the value itself is still all there
      if (more[1] === 'json') expect(() => JSON.parse(stdout) as unknown).not.toThrow();
    }
    const [fresh] = readdirSync(join(place.folder, '.errand/runs')).filter((id) => !seen.has(id));
    if (fresh !== undefined) runs.push(fresh);
    for (const id of readdirSync(join(place.folder, '.errand/runs'))) seen.add(id);
  });

  it('is the same value in JSON', () => {
    const { stdout } = errand('run', 'done.yaml', '--input', 'words.json', '--format', 'json');
    expect(JSON.parse(stdout)).toMatchObject({ output: { said: HOSTILE } });
  });

  it.each([
    ['show'],
    ['explain'],
    ['explain', '--format', 'markdown'],
    ['costs'],
    ['audit'],
    ['watch'],
    ['watch', '--verbose'],
    ['watch', '--json'],
    ['show', '--format', 'json'],
    ['explain', '--format', 'json'],
  ])('is shown safely by errand %s %s %s', (command, ...more) => {
    expect(runs.length).toBeGreaterThan(4);
    for (const run of runs) errand(command, run, ...more);
  });

  it('means nothing in Markdown', () => {
    for (const run of runs) {
      const { stdout } = errand('explain', run, '--format', 'markdown');
      expect(stdout).not.toMatch(/(?<!\\)<img/);
      expect(stdout).not.toMatch(/(?<!\\)\]\(javascript/);
      expect(stdout).not.toMatch(/https:\/\/evil/);
    }
  });

  it.each([
    ['runs'],
    ['runs', '--format', 'json'],
    ['validate', 'names.yaml', 'model.yaml', 'named.yaml', 'gate.yaml'],
    ['validate', 'names.yaml', '--quiet'],
    ['validate', 'names.yaml', 'model.yaml', '--format', 'json'],
    ['run', 'names.yaml'],
    ['run', 'names.yaml', '--format', 'markdown'],
    ['run', 'model.yaml'],
    ['doctor'],
    [TYPED],
    ['run', TYPED],
    ['run', TYPED, '--format', 'markdown'],
    ['run', 'gate.yaml', '-i', TYPED],
    ['run', 'gate.yaml', `--${TYPED}`],
    ['run', 'gate.yaml', '--format', TYPED],
    ['run', 'gate.yaml', '-i', 'ticket=x', '--answer', TYPED],
    ['show', TYPED],
    ['show', TYPED, '--format', 'json'],
    ['show', TYPED, '--format', 'markdown'],
    ['watch', TYPED],
    ['resume', TYPED],
    ['resume', TYPED, '--verbose'],
    ['explain', TYPED],
    ['answer', TYPED, '--value', TYPED],
    ['cancel', TYPED],
    ['retry', TYPED, '--from', TYPED],
    ['validate', TYPED],
    ['draft', 'x', '--model', TYPED],
    ['completion', TYPED],
    ['simulate', '--port', TYPED],
    ['simulate', '--script', TYPED],
    ['init', join('sub', TYPED.replaceAll('/', ''), 'a.yaml')],
    ['runs', '--limit', TYPED],
    ['help', TYPED],
  ])('is printed safely: errand %j %j', (...args) => {
    errand(...args);
  });

  it('is printed safely as the name of a file', () => {
    const folder = join(place.folder, TYPED.replaceAll('/', ''));
    if (!existsSync(folder)) mkdirSync(folder);
    writeFileSync(join(folder, 'a.yaml'), FILES['named.yaml'] ?? '');
    writeFileSync(join(folder, 'b.yaml'), FILES['names.yaml'] ?? '');
    const name = TYPED.replaceAll('/', '');
    for (const file of ['a.yaml', 'b.yaml']) {
      errand('validate', `${name}/${file}`);
      errand('run', `${name}/${file}`);
    }
    errand('show', place.lastRun());
  });

  it('of a draft is printed safely', () => {
    const answers = [{ answer: FILES['names.yaml'] }];
    place.write('answers.sim.yaml', JSON.stringify(answers));
    errand('draft', TYPED, '--model', 'sim/w', '--simulate', 'answers.sim.yaml');
  });
});

describe.runIf(HAS_TERMINALS)('a hostile string on a terminal', () => {
  async function onScreenOf(
    args: readonly string[],
    keys: readonly (readonly [string, string])[] = [],
  ): Promise<string> {
    const { written } = await onTerminal(place, args, { env: ENV, keys });
    expectClean(written.replace(OURS, '').replaceAll('\r', ''));
    return written;
  }

  it.each(STARTS.slice(1, 3))('is drawn safely by errand %s %s', async (...args) => {
    await onScreenOf(args);
  });

  it('is asked about safely, and draws no answers of its own', async () => {
    const args = ['run', 'gate.yaml', '--input', 'gate.json'];
    const written = await onScreenOf(args, [['answer: ', '1\r']]);
    expect(written).toContain('asks:');
    expect(written).toMatch(/^ {2}│ /m);
  });

  it('in the arguments of a tool is shown escaped before it is approved', async () => {
    const written = await onScreenOf(['run', 'tool.yaml'], [['answer: ', '1\r']]);
    expect(written.replaceAll(/\s/g, '')).toContain('\\u202etxt.exe');
  });

  it.each(['show', 'explain', 'costs', 'audit', 'watch'])(
    'is shown safely by %s',
    async (command) => {
      for (const run of runs.slice(0, 2)) await onScreenOf([command, run]);
    },
  );
});
