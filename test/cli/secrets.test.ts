/** Plants secrets everywhere a run reads, and searches everything that it writes. */
import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newPlace, type Place } from './errand.ts';

/** Keys of providers, a variable that a file names as a key, and one in the headers of a server. */
const PLANTED = {
  OPENAI_API_KEY: 'sk-proj-Planted0One1Two2Three3Four4Five5Six6',
  ANTHROPIC_API_KEY: 'sk-ant-api03-Planted0Seven7Eight8Nine9Ten10-AA',
  MISTRAL_API_KEY: 'PlantedMistralKeyOfThirtyTwoChars',
  DB_PASSWORD: 'Planted0Password1Of2A3Database4',
};

const LEAK = 'echo "$KEY and $OTHER refused in $PWD" >&2; exit 1';
/** A script that writes its key in every way that programs know, to the stream that it is given. */
const ENCODE = `printf '%s' "$KEY" | base64
  printf 'user:%s' "$KEY" | base64 -w0; echo
  printf 'xy%s and more' "$KEY" | base64 -w0 | tr '+/' '-_'; echo
  printf '%s' "$KEY" | od -An -v -tx1
  printf '%s' "$KEY" | od -An -v -tx1 | tr -d ' \\n' | tr a-f A-F; echo`;

/** A script that writes its key with what no screen shows in it, and its own failure with the key in it. */
const UNSEEN = `const key = process.env.KEY;
const at = Math.floor(key.length / 2);
const torn = (by) => key.slice(0, at) + by + key.slice(at);
const words = [
  torn('\\u001b[01;31m\\u001b[K'),
  torn('\\u001b]0;title\\u0007'),
  torn('\\u202e'),
  torn('\\u200b'),
  torn('x\\b'),
  [...key].join('\\0'),
];
if (process.argv[2] === 'print') console.log(words.join(' '));
else for (const word of words) console.error(word);
if (process.argv[2] === 'raise') {
  const failure = { kind: 'pay.declined', message: key + words[0], details: { [key]: 1, words } };
  require('node:fs').writeFileSync(process.env.ERRAND_ERROR_OUT, JSON.stringify(failure));
}
process.exitCode = process.argv[2] === 'print' ? 0 : 1;
`;

const unseen = (name: string, variable: string, rest: string): string =>
  `  - {name: ${name}, type: script, command: node, args: [unseen.cjs, ${name}], env: {KEY: "\${${variable}}"}, ${rest}}`;

const FILES: Readonly<Record<string, string>> = {
  'leak.yaml': `workflow:
  name: leak
  entry_point: echo
  on_unhandled: fail
  input: {note: {type: string}}
nodes:
  - {name: echo, type: script, command: sh, args: ["-c", "echo \\"{\\\\\\"said\\\\\\": \\\\\\"$KEY\\\\\\"}\\""], env: {KEY: "\${OPENAI_API_KEY}"}, output: {said: {type: string}}, routes: [{to: ask}]}
  - {name: ask, type: agent, model: sim/any, prompt: "Repeat {{ echo.output.said }} {{ workflow.input.note }}", tools: [], routes: [{to: fail}]}
  - {name: fail, type: script, command: sh, args: ["-c", '${LEAK}'], env: {KEY: "\${OPENAI_API_KEY}", OTHER: "\${MISTRAL_API_KEY}"}}
`,
  'encoded.yaml': `workflow:
  name: encoded
  entry_point: say
  on_unhandled: fail
  input: {note: {type: string}}
nodes:
  - {name: say, type: script, command: sh, args: ["-c", ${JSON.stringify(ENCODE)}], env: {KEY: "\${OPENAI_API_KEY}"}, routes: [{to: tell}]}
  - {name: tell, type: agent, model: sim/any, prompt: "{{ say.output.stdout }} {{ workflow.input.note }}", tools: [], routes: [{to: fail}]}
  - {name: fail, type: script, command: sh, args: ["-c", ${JSON.stringify(`{ ${ENCODE}
 } >&2; exit 4`)}], env: {KEY: "\${MISTRAL_API_KEY}"}}
`,
  'places.yaml': `workflow:
  name: places
  entry_point: keep
  on_unhandled: fail
  state: {password: {type: string, default: "\${DB_PASSWORD}"}}
nodes:
  - {name: keep, type: set, value: "postgres://u:\${DB_PASSWORD}@h/{{ state.password }}", routes: [{to: ask}]}
  - {name: ask, type: human_gate, prompt: "Is it \${DB_PASSWORD}?", options: [{value: y}], routes: [{to: tell}]}
  - {name: tell, type: agent, model: sim/any, prompt: "Log in with \${DB_PASSWORD}", tools: [], routes: [{to: fail}]}
  - {name: fail, type: script, command: "tool-\${DB_PASSWORD}", routes: [{to: $end}, {on_error: true, halt: {message: "Not with \${DB_PASSWORD}"}}]}
`,
  'unseen.cjs': UNSEEN,
  'unseen.yaml': `workflow: {name: unseen, entry_point: print, on_unhandled: fail}
nodes:
${unseen('print', 'MISTRAL_API_KEY', 'routes: [{to: raise}]')}
${unseen('raise', 'MISTRAL_API_KEY', 'raises: [pay.declined], routes: [{on_error: pay.declined, to: fail}, {to: $end}]')}
${unseen('fail', 'OPENAI_API_KEY', 'routes: [{to: $end}]')}
`,
};

/** What any of that would look like, without the breaks and gaps in it. */
function formsOf(value: string): readonly string[] {
  const bytes = Buffer.from(value);
  const within = [`user:${value}`, `xy${value} and more`].map((text) => Buffer.from(text));
  return [
    value,
    bytes.toString('base64').slice(0, 40),
    ...within.map((text) => text.toString('base64').slice(12, 40)),
    ...within.map((text) => text.toString('base64url').slice(12, 40)),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
    encodeURIComponent(value),
  ];
}

/** Without what may stand in the middle of a secret, as it is or as JSON writes it. */
function whole(text: string): string {
  return text
    .replaceAll(/\\u001b\[[\d;]*[A-Za-z]|\\u001b\]0;title\\u0007/g, '')
    .replaceAll(/\\u(?:0000|0008|202e|200b)|\\b/g, '')
    .replaceAll(/\p{Cc}|\p{Cf}|\s|\\n/gu, '');
}

describe('a planted secret', () => {
  let place: Place;
  let run = '';
  const said: string[] = [];
  const errand = (...args: readonly string[]): number | null => {
    const { exit, stdout, stderr } = place.run(args, { env: PLANTED });
    // what was typed is on the screen already
    said.push(
      `$ errand ${args.filter((word) => !word.includes('=')).join(' ')}\n${stdout}${stderr}`,
    );
    return exit;
  };
  beforeAll(() => {
    place = newPlace({ isShared: true });
    for (const [name, text] of Object.entries(FILES)) place.write(name, text);
    expect(errand('run', 'leak.yaml', '-i', `note=${PLANTED.ANTHROPIC_API_KEY}`)).toBe(3);
    run = place.lastRun();
    expect(errand('resume', run, '--json')).toBe(3);
    // a changed file: the plan is recorded anew, and what has changed is shown
    place.write('leak.yaml', `${FILES['leak.yaml'] ?? ''}`.replace('; exit 1', ' again; exit 1'));
    expect(errand('resume', run, '--verbose')).toBe(3);
    expect(errand('resume', run, '--format', 'json')).toBe(3);
    for (const format of ['text', 'json', 'markdown'])
      for (const command of ['show', 'explain', 'costs', 'audit', 'watch'])
        errand(command, run, '--format', format);
    const key = Buffer.from(PLANTED.ANTHROPIC_API_KEY);
    const note = (['base64', 'base64url', 'hex'] as const)
      .map((form) => key.toString(form))
      .join(' ');
    expect(errand('run', 'encoded.yaml', '-i', `note=${note}`, '--verbose')).toBe(3);
    for (const format of ['text', 'json'])
      for (const command of ['show', 'explain', 'watch'])
        errand(command, place.lastRun(), '--format', format);
    expect(errand('run', 'unseen.yaml', '--verbose')).toBe(3);
    for (const format of ['text', 'json'])
      for (const command of ['show', 'explain', 'watch'])
        errand(command, place.lastRun(), '--format', format);
    expect(errand('run', 'places.yaml')).toBe(5);
    const paused = place.lastRun();
    errand('show', paused);
    expect(errand('answer', paused, '--value', 'y', '--verbose')).toBe(3);
    for (const format of ['text', 'json', 'markdown'])
      for (const command of ['show', 'explain', 'audit', 'watch'])
        errand(command, paused, '--format', format);
    for (const format of ['text', 'json']) {
      errand('runs', '--format', format);
      errand('doctor', '--format', format);
      errand('validate', 'leak.yaml', '--format', format);
    }
  });
  afterAll(() => place.remove());

  it('really reached the processes that ran', () => {
    // the same value comes back in the output of the first node, and is taken out there
    expect(said.join('\n')).toContain('[redacted]');
  });

  it.each(Object.entries(PLANTED))('%s is on no screen', (_name, value) => {
    for (const text of said)
      for (const form of formsOf(value)) expect(whole(text)).not.toContain(form);
  });

  it.each(Object.entries(PLANTED))('%s is in no file that the run left', (_name, value) => {
    const files = globSync('.errand/**', { cwd: place.folder })
      .map((name) => join(place.folder, name))
      .filter((path) => statSync(path).isFile());
    expect(files.map((path) => path.split('/').at(-1))).toEqual(
      expect.arrayContaining(['errand.db', 'events.jsonl', 'errors.jsonl']),
    );
    for (const path of files) {
      const text = whole(readFileSync(path, 'utf8'));
      for (const form of formsOf(value)) expect(text, path).not.toContain(form);
    }
  });

  it('and no path of this machine is on a screen either, except in printed events', () => {
    const reported = said.filter(
      (text) => !/--json|watch .* json|--verbose/.test(text.split('\n')[0] ?? ''),
    );
    for (const text of reported) {
      expect(text).not.toContain(place.folder);
      expect(text).not.toMatch(/^ +at .*:\d+:\d+/m);
    }
  });
});
