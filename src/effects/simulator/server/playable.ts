/** Which kinds of failure can be played over HTTP; the others are decided on the client's side. */
import type { SimulatedFailure } from '../../../workflow/model.ts';
import type { Path } from '../../../workflow/path.ts';
import type { Report } from '../../../workflow/problem.ts';
import { quoted } from '../../../workflow/words.ts';
import { wireFailure } from '../wire-failure.ts';
import type { ScriptEntry } from './script.ts';

/** Not an answer with a status: they happen to the connection, or are how an answer ends. */
const OTHERWISE: ReadonlySet<string> = new Set([
  'provider.network',
  'provider.stream_interrupted',
  'provider.truncated',
  'provider.content_filter',
]);

export function isPlayable(kind: string): boolean {
  return OTHERWISE.has(kind) || wireFailure(kind, 'openai') !== undefined;
}

export function checkPlayable(entry: ScriptEntry, path: Path, report: Report): void {
  const { answer, thenFail } = entry;
  if (answer.type === 'fail') checkFailure(answer.fail, [...path, 'fail'], report);
  if (thenFail !== undefined) checkFailure(thenFail, [...path, 'then_fail'], report);
}

function checkFailure(fail: SimulatedFailure, path: Path, report: Report): void {
  if (!('kind' in fail) || isPlayable(fail.kind)) return;
  report({
    code: 'unsupported-value',
    message: `No answer of a server is ${quoted(fail.kind)}; a client finds that out by itself`,
    path: [...path, 'kind'],
    suggestion:
      'Name a kind that a provider answers with, such as provider.overloaded, or a `status`',
  });
}
