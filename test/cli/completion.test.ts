/** Completion, loaded by the shells themselves where they are installed. */
import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newPlace, type Place } from './errand.ts';

const has = (shell: string): boolean => spawnSync(shell, ['-c', 'exit 0']).status === 0;

let place: Place;
const scripts: Record<string, string> = {};
beforeAll(() => {
  place = newPlace();
  for (const shell of ['bash', 'zsh', 'fish'])
    scripts[shell] = place.run(['completion', shell]).stdout;
});
afterAll(() => place.remove());

describe('completion', () => {
  it.skipIf(!has('bash')).each([
    ['errand re', ['resume', 'retry']],
    ['errand dr', ['draft']],
    ['errand resume --acc', ['--accept-drift']],
    ['errand show --format j', ['json']],
    ['errand completion z', ['zsh']],
  ])('in bash of %s is %j', (words, wanted) => {
    const list = words.split(' ');
    const ask = `COMP_WORDS=(${list.join(' ')}); COMP_CWORD=${list.length - 1}; _errand; echo "\${COMPREPLY[@]}"`;
    const { status, stdout, stderr } = spawnSync('bash', ['-c', `${scripts['bash']}\n${ask}`], {
      encoding: 'utf8',
    });
    expect([status, stderr, stdout.trim().split(' ')]).toEqual([0, '', wanted]);
  });

  it.skipIf(!has('zsh'))('is loaded by zsh', () => {
    const script = `autoload -U compinit; compinit -D -u\n${scripts['zsh']}\nwhence -w _errand; print $_comps[errand]`;
    const { status, stdout, stderr } = spawnSync('zsh', ['-f', '-c', script], {
      encoding: 'utf8',
      cwd: place.folder,
    });
    expect([status, stderr, stdout]).toEqual([0, '', '_errand: function\n_errand\n']);
  });

  it.skipIf(!has('fish'))('is used by fish', () => {
    const script = `${scripts['fish']}\ncomplete -C 'errand re'`;
    const { status, stdout, stderr } = spawnSync('fish', ['--no-config', '-c', script], {
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^resume\t/m);
  });

  it.each(['bash', 'zsh', 'fish'])('for %s has every command and every option', (shell) => {
    const { stdout } = place.run(['--help']);
    const commands = [...stdout.matchAll(/^ {2}(\w+) /gm)].map(([, name = '']) => name);
    expect(commands.length).toBeGreaterThan(18);
    for (const command of commands.filter((name) => name !== 'errand' && name !== 'help'))
      expect(scripts[shell]).toContain(command);
    for (const option of ['accept-drift', 'no-gates', 'simulate'])
      expect(scripts[shell]).toContain(option);
  });
});
