/** Completion, loaded and asked by the shells themselves where they are installed. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasShell, offered, prepare, type Shell } from './completing.ts';
import { newPlace, type Place } from './errand.ts';

const SHELLS: readonly Shell[] = ['bash', 'zsh', 'fish'];

let place: Place;
let run = '';
beforeAll(() => {
  place = newPlace();
  prepare(place);
  place.write(
    'triage.yaml',
    'workflow: {name: w, entry_point: a}\nnodes: [{name: a, type: set, value: 1}]\n',
  );
  place.write('two words.yaml', '');
  place.run(['run', 'triage.yaml']);
  run = place.lastRun();
});
afterAll(() => place.remove());

const LINES: Readonly<Record<string, readonly string[]>> = {
  'errand re': ['rehearse', 'resume', 'retry'],
  'errand dr': ['draft'],
  'errand --ver': ['--version'],
  'errand resume --acc': ['--accept-drift'],
  'errand run triage.yaml --on': ['--on'],
  'errand show --format j': ['json'],
  'errand explain --format m': ['markdown'],
  'errand run --on t': ['temporal'],
  'errand completion z': ['zsh'],
  'errand help comp': ['completion'],
  'errand explain provider.rate': ['provider.rate_limited'],
  'errand run tri': ['triage.yaml'],
  'errand validate triage.yaml two': ['two words.yaml'],
  'errand run triage.yaml --input tri': ['triage.yaml'],
  'errand schema tri': [],
  'errand retry --from x tri': [],
};

describe.each(SHELLS)('%s', (shell) => {
  const isHere = hasShell(shell);
  const why = isHere ? '' : ` (skipped: ${shell} is not installed here)`;
  let answers: ReturnType<typeof offered> = new Map();
  const ofRun = (words: string): string => `errand ${words} ${run.slice(0, 3)}`;
  const beforeRuns = ['resume', 'explain', 'show --format json', 'answer', 'answer --value x'];
  const beforeGates = (): string[] => [`answer ${run}`, `answer --value x ${run}`];
  beforeAll(() => {
    if (isHere) {
      const words = [...beforeRuns, ...beforeGates()];
      answers = offered(shell, [...Object.keys(LINES), ...words.map(ofRun)], place);
    }
  });

  it.skipIf(!isHere).each(Object.entries(LINES))(`completes %s to %j${why}`, (line, wanted) => {
    expect(answers.get(line)).toEqual(wanted);
  });

  it.skipIf(!isHere).each(beforeRuns)(`completes the id of a run after %s${why}`, (words) => {
    expect(answers.get(ofRun(words))).toEqual([run]);
  });

  it.skipIf(!isHere || shell === 'fish')(`offers no run where a gate is meant${why}`, () => {
    for (const words of beforeGates()) expect(answers.get(ofRun(words))).toEqual([]);
  });

  it('has every command and every option', () => {
    const script = readFileSync(
      join(place.folder, 'scripts', shell === 'zsh' ? '_errand' : `errand.${shell}`),
      'utf8',
    );
    const { stdout } = place.run(['--help']);
    const commands = [...stdout.matchAll(/^ {2}(\w+) /gm)].map(([, name = '']) => name);
    expect(commands.length).toBeGreaterThan(18);
    for (const command of commands.filter((name) => name !== 'errand'))
      expect(script).toContain(command);
    for (const option of ['accept-drift', 'no-gates', 'simulate', 'task-queue'])
      expect(script).toContain(option);
  });
});
