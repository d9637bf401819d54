/** The injected failures, with the fields of a real one of their kind. */
import type { ReportDraft } from '../../errors/report/report.ts';
import type { JsonObject } from '../../errors/support/safe-json.ts';
import type { Place } from '../places/atlas.ts';

/** Details that the plan gives to failures, by kind. */
export type DetailsByKind = Readonly<Record<string, JsonObject>>;

export function draftOf(place: Place, kind: string, given: DetailsByKind): ReportDraft {
  const details = given[kind] ?? detailsOf(place, kind);
  return {
    kind,
    message: `${place.node.name} fails with ${kind} in this rehearsal`,
    ...(details === undefined ? {} : { details }),
    ...(kind.startsWith('provider.') ? { provider: { name: 'rehearsed' } } : {}),
  };
}

function detailsOf({ node }: Place, kind: string): JsonObject | undefined {
  switch (kind) {
    case 'internal.script_error':
      return {
        exit_code: 1,
        signal: null,
        command: node.type === 'script' ? node.command : '',
        stderr_tail: 'rehearsed',
      };
    case 'breaker.open':
      return { target: node.name };
    case 'limit.budget':
    case 'limit.turns':
    case 'limit.steps':
    case 'limit.retries':
      return { limit: 1, spent: 1 };
    case 'group.failed':
    case 'group.quorum':
      return { members: {}, counts: {} };
    case 'terminate.failed':
      return { output: null };
    case 'tool.denied':
    case 'tool.forbidden':
      return { by: 'policy' };
    default:
      return kind.startsWith('provider.') ? { scope: 'model', recovery: 'now' } : undefined;
  }
}

/** The output of a failed script. */
export const PRINTED: JsonObject = { stdout: '', stderr: 'rehearsed', exit_code: 1 };
