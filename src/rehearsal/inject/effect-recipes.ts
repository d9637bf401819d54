/** Failures that begin at a script, a function, a tool or a transform. */
import type { ReportDraft } from '../../errors/report/report.ts';
import type { JsonValue } from '../../errors/support/safe-json.ts';
import type { EffectRequest } from '../../machine/decide/effect-request.ts';
import type { Place } from '../places/atlas.ts';
import { draftOf, PRINTED } from './drafts.ts';
import { at, type RecipeContext } from './recipe-context.ts';
import type { Recipe, StruckCall } from './strike.ts';

/** Kinds of an effect that did its work but returned an unusable result. */
const OFF_SCHEMA: JsonValue = { rehearsed: 'off the schema' };

export function effectRecipes(
  context: RecipeContext,
  place: Place,
  kind: string,
): readonly Recipe[] {
  const failure = draftOf(place, kind, context.details);
  return [at(place, kind, { type: 'effect', call: () => struck(context, place, kind, failure) })];
}

function struck(
  { values }: RecipeContext,
  place: Place,
  kind: string,
  failure: ReportDraft,
): StruckCall {
  const { node } = place;
  switch (kind) {
    case 'effect.outcome_unknown':
      return { type: 'loses its reply', failure: lostReply(place) };
    case 'internal.script_timeout':
    case 'limit.node_timeout':
      return node.timeoutMs === undefined ? { type: 'fails', failure } : { type: 'hangs' };
    case 'internal.schema_violation':
    case 'tool.output_malformed':
      return {
        type: 'fails',
        failure,
        part: node.type === 'script' ? { ...PRINTED, exit_code: 0 } : OFF_SCHEMA,
      };
    case 'internal.output_too_large':
      return { type: 'fails', failure, part: values.base(place) };
    case 'mcp.tool_failed':
      return { type: 'fails', failure, part: {} };
    default:
      return node.type === 'script' && kind !== 'internal.script_unspawnable'
        ? { type: 'fails', failure, part: PRINTED }
        : { type: 'fails', failure };
  }
}

/** In the words of the real effects: its outcome is not known. */
export function lostReply({ node }: Place, request?: Pick<EffectRequest, 'work'>): ReportDraft {
  const kind = LOST_AS[request?.work.type ?? node.type] ?? 'call.failed';
  return {
    kind,
    message: `The reply of ${node.name} was lost in this rehearsal`,
    outcome: 'unknown',
  };
}

const LOST_AS: Readonly<Record<string, string>> = {
  script: 'internal.script_error',
  tool: 'tool.failed',
};
