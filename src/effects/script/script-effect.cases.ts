/** A script effect for tests, whose temporary files the test can inspect. */
import { mkdtempSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contextFor, SECRET } from '../effect-port.cases.ts';
import type { EffectContext, EffectResult } from '../effect-port.ts';
import { createScriptEffect, type ScriptRequest } from './script-effect.ts';

export interface ScriptBench {
  /** A folder for whatever the test needs. */
  readonly folder: string;
  /** Where the effect puts its temporary folders. */
  readonly tempDir: string;
  /** Names of the error directories that exist now. */
  readonly leftBehind: () => readonly string[];
  readonly run: (
    request: Partial<ScriptRequest>,
    changes?: Partial<EffectContext>,
  ) => Promise<EffectResult>;
  /** `bash -c`. */
  readonly bash: (
    text: string,
    request?: Partial<ScriptRequest>,
    changes?: Partial<EffectContext>,
  ) => Promise<EffectResult>;
  readonly dispose: () => void;
}

export function openScriptBench(): ScriptBench {
  const folder = mkdtempSync(join(tmpdir(), 'errand-effects-test-'));
  const tempDir = join(folder, 'temp');
  mkdirSync(tempDir);
  const effect = createScriptEffect({
    env: { ...process.env, INHERITED: 'yes', PROVIDER_KEY: SECRET, ERRAND_ATTEMPT: '99' },
    tempDir,
  });
  const run: ScriptBench['run'] = (request, changes) =>
    effect({ command: 'true', args: [], env: {}, exitCodes: [0], ...request }, contextFor(changes));
  return {
    folder,
    tempDir,
    run,
    leftBehind: () => readdirSync(tempDir),
    bash: (text, request, changes) =>
      run({ command: 'bash', args: ['-c', text], ...request }, changes),
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  };
}
