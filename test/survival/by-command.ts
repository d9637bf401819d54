/** The same journey by the command alone: run, killed, resumed, answered. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { RunResult } from '../../src/engine/backend.ts';
import { ErrandError } from '../../src/errors/thrown/errand-error.ts';
import type { ReportDraft } from '../../src/errors/report/report.ts';
import type { GoOn } from './journey.ts';
import type { KillEnvironment } from './kill-hook.ts';
import type { KillPoint } from './kill-points.ts';
import type { Place, Prepared } from './place.ts';
import { anyErrand, errand, type Ended } from './process.ts';

const HOOK = join(import.meta.dirname, 'kill-hook.ts');

export function runKilled(prepared: Prepared, place: Place, kill: KillPoint): Promise<Ended> {
  const inputs = Object.entries(prepared.input).flatMap(([name, value]) => [
    '-i',
    `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  ]);
  const hooked: KillEnvironment = { ERRAND_TEST_KILL: JSON.stringify(kill) };
  return errand(['run', prepared.file, ...inputs, ...answersOf(place)], {
    cwd: prepared.folder,
    node: ['--import', HOOK],
    env: { ...envOf(place), ...hooked },
  });
}

export function goOnByCommand(folder: string): GoOn {
  return async (place, run, answer) => {
    const args =
      answer === undefined
        ? ['resume', run]
        : ['answer', run, answer.gate ?? '', '--value', JSON.stringify(answer.value)];
    const ended = await anyErrand([...args, ...answersOf(place), '--format', 'json'], {
      cwd: folder,
      env: envOf(place),
    });
    // the command prints everything as JSON
    const said = JSON.parse(ended.stdout) as { status: string; error?: ReportDraft };
    if (said.status === 'refused' && said.error !== undefined) {
      expect(ended.exit).toBe(2);
      throw new ErrandError(said.error);
    }
    return said as unknown as RunResult;
  };
}

/** The export that people read, line by line. */
export function exportedEvents(
  { home }: Place,
  run: string,
): readonly { readonly seq: number; readonly type: 'run:started' }[] {
  const path = join(home, 'runs', run, 'events.jsonl');
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { seq: number; type: 'run:started' });
}

function envOf({ home, job }: Place): Record<string, string> {
  return { ERRAND_HOME: home, WORLD: job.world };
}

function answersOf({ job }: Place): readonly string[] {
  return job.answers.flatMap(({ gate, value }) => ['--answer', `${gate}=${JSON.stringify(value)}`]);
}
