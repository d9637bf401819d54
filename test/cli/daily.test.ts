/** Everyday commands, and the messages for common mistakes. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newPlace, type Place } from './errand.ts';

let place: Place;
beforeAll(() => {
  place = newPlace({ isShared: true });
  const file = (name: string, node: string): void =>
    place.write(`${name}.yaml`, `workflow: {name: ${name}, entry_point: a}\nnodes: [${node}]\n`);
  file('good', '{name: a, type: set, value: 1}');
  file('bad', "{name: a, type: script, command: sh, args: ['-c', 'exit 3']}");
  file('late', '{name: a, type: wait, duration: 1h}');
  mkdirSync(join(place.folder, 'sub'));
  for (const name of ['good', 'bad', 'late', 'good']) place.run(['run', `${name}.yaml`]);
});
afterAll(() => place.remove());

interface Listed {
  readonly run: string;
  readonly workflow: string;
  readonly status: string;
}

describe('errand runs', () => {
  const workflows = (...args: string[]): string[] =>
    (JSON.parse(place.run(['runs', '--format', 'json', ...args]).stdout) as Listed[]).map(
      ({ workflow, status }) => `${workflow} ${status}`,
    );

  it('lists the newest first, and filters', () => {
    expect(workflows()).toEqual(['good completed', 'late paused', 'bad failed', 'good completed']);
    expect(workflows('--limit', '1')).toEqual(['good completed']);
    expect(workflows('--workflow', 'good', '--limit', '1')).toEqual(['good completed']);
    expect(workflows('--status', 'failed')).toEqual(['bad failed']);
    expect(workflows('--status', 'failed,paused')).toEqual(['late paused', 'bad failed']);
    expect(workflows('--status', 'failed', '--status', 'paused')).toHaveLength(2);
    // it is not due yet
    expect(workflows('--status', 'due')).toEqual([]);
    expect(workflows('--status', 'completed', '--workflow', 'bad')).toEqual([]);
  });

  it('says so where none is left, and where a status does not exist', () => {
    const none = place.run(['runs', '--status', 'cancelled']);
    expect(none.stdout).toBe('There is no run with the status cancelled. All runs: errand runs\n');
    const wrong = place.run(['runs', '--status', 'fialed']);
    expect(wrong.exit).toBe(2);
    expect(wrong.stderr).toContain('Did you mean failed?');
  });
});

describe('a mistake', () => {
  it('of --input for -i is refused with what to type', () => {
    const { exit, stdout } = place.run([
      'run',
      'good.yaml',
      '--input',
      'ticket=x',
      '--format',
      'json',
    ]);
    expect(exit).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({
      error: {
        kind: 'validation.input',
        message: '--input takes a JSON file, and `ticket=x` is not one',
        action: { detail: 'Give a single input with -i: -i ticket=x.' },
      },
    });
  });

  it('of --input for JSON itself is refused with both ways to give it', () => {
    const input = '{"ticket":"x"}';
    const { exit, stdout } = place.run(['run', 'good.yaml', '--input', input, '--format', 'json']);
    expect(exit).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({
      error: {
        kind: 'validation.input',
        message: '--input takes a JSON file, and `{"ticket":"x"}` is not one',
        action: {
          detail:
            'Give single inputs with -i: -i name=value. For JSON, write it to a file and give its path.',
        },
      },
    });
  });
});

describe('a file outside of the current folder', () => {
  it('is named as it was typed', () => {
    const cwd = 'sub';
    expect(place.run(['validate', '../good.yaml'], { cwd }).stdout).toMatch(
      /^\.\.\/good\.yaml: valid/,
    );
    place.write(
      'broken.yaml',
      'workflow: {name: b, entry_point: a}\nnodes: [{name: a, typ: set}]\n',
    );
    const run = place.run(['run', '../broken.yaml', '--format', 'json'], { cwd });
    expect(JSON.parse(run.stdout)).toMatchObject({
      error: { location: { file: '../broken.yaml', line: 2 } },
    });
  });
});
