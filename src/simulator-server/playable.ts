/** The kinds of failure that can be played over HTTP; others arise only in the client. */
import type { SimulatedFailure } from '../workflow/plan/plan.ts';
import type { Path } from '../workflow/plan/pointer.ts';
import type { ReportProblem } from '../workflow/diagnostics/problem.ts';
import { quoted } from '../workflow/diagnostics/diagnostic-words.ts';
import { wireFailure } from '../effects/simulator/wire-failure.ts';
import type { ScriptEntry } from './reply-script.ts';

/** Kinds without a status: they happen to the connection, or end the reply early. */
const WITHOUT_STATUS: ReadonlySet<string> = new Set([
  'provider.network',
  'provider.stream_interrupted',
  'provider.truncated',
  'provider.content_filter',
]);

export function isPlayable(kind: string): boolean {
  return WITHOUT_STATUS.has(kind) || wireFailure(kind, 'openai') !== undefined;
}

export function checkPlayable(entry: ScriptEntry, path: Path, report: ReportProblem): void {
  const { answer, thenFail } = entry;
  if (answer.type === 'fail') checkFailure(answer.fail, [...path, 'fail'], report);
  if (thenFail !== undefined) checkFailure(thenFail, [...path, 'then_fail'], report);
}

function checkFailure(fail: SimulatedFailure, path: Path, report: ReportProblem): void {
  if (!('kind' in fail) || isPlayable(fail.kind)) return;
  report({
    code: 'unsupported-value',
    message: `No server response means ${quoted(fail.kind)}; only a client can raise it`,
    path: [...path, 'kind'],
    suggestion:
      'Name a kind that a provider responds with, such as provider.overloaded, or a `status`',
  });
}
