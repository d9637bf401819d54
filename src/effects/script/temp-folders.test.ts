import { spawnSync } from 'node:child_process';
import { mkdirSync, readlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openScriptBench } from './script-effect.cases.ts';

const LONG_AGO = new Date(Date.now() - 48 * 60 * 60 * 1000);

describe.runIf(process.platform === 'linux')('folders that a killed Errand left behind', () => {
  let bench: ReturnType<typeof openScriptBench>;
  beforeEach(() => void (bench = openScriptBench()));
  afterEach(() => bench.dispose());

  const namespace = /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '';
  const gone = String(spawnSync('true').pid);

  function leave(name: string, at = LONG_AGO): string {
    const folder = join(bench.tempDir, name);
    mkdirSync(folder);
    writeFileSync(join(folder, 'error.json'), '{}');
    utimesSync(folder, at, at);
    return name;
  }

  it('are removed by the next one that runs a script', async () => {
    leave(`errand-script-${namespace}-${gone}-abc`);
    await bench.bash('true');
    expect(bench.leftBehind()).toEqual([]);
  });

  it('stay where somebody may still use them, and so does what others made', async () => {
    const kept = [
      leave(`errand-script-${namespace}-${process.pid}-abc`),
      leave(`errand-script-${namespace}-${gone}-new`, new Date()),
      leave(`errand-script-1-${gone}-elsewhere`),
      leave('errand-script-abc'),
      leave('of-another-program'),
    ];
    await bench.bash('true');
    expect(bench.leftBehind().toSorted()).toEqual(kept.toSorted());
  });

  it('are looked for once, not for every script', async () => {
    await bench.bash('true');
    leave(`errand-script-${namespace}-${gone}-abc`);
    await bench.bash('true');
    expect(bench.leftBehind()).toHaveLength(1);
  });
});
