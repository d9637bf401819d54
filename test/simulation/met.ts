/**
 * The situations of agents, tools and people that a run has met: a situation that never occurs is
 * not tested.
 */
import type { RunEvent } from '../../src/machine/state/events.ts';
import { nodeAt, type EventOf, type Subject } from '../../src/rehearsal/laws/subject.ts';

export const MEETINGS = [
  'calls approved',
  'calls granted',
  'calls denied by a person',
  'calls denied by a guard',
  'calls that a guard asks about',
  'calls denied for want of people',
  'approvals that ran out',
  'gates that ran out',
  'gates without people',
  'several gates at once',
  'answers refused',
  'answers prepared',
  'forbidden tools',
  'unknown tools',
  'wrong arguments',
  'refusals repeated',
  'agents that stay wrong',
  'writes refused',
  'parts of results',
  'parts of failures',
  'servers away',
  'servers killed in the middle',
  'tools out of time',
  'rubbish of tools',
  'stopped effects that had ended well',
  'stopped effects that had failed',
  'stopped effects in doubt',
  'results used instead of doing it again',
] as const;

export type Meeting = (typeof MEETINGS)[number];

export function metIn(subject: Subject): readonly Meeting[] {
  const refused = subject.legs.filter(
    ({ answer, result }) =>
      answer !== undefined &&
      result.status === 'refused' &&
      result.error.kind === 'validation.input',
  );
  return [
    ...refused.map(() => 'answers refused' as const),
    ...subject.executions.flatMap((execution) => ofStop(execution)),
    ...subject.events.flatMap((event) => metAt(subject, event)),
  ];
}

function metAt(subject: Subject, event: RunEvent): readonly Meeting[] {
  switch (event.type) {
    case 'run:paused': {
      const gates = event.waiting.all.filter(({ gate }) => gate !== undefined);
      return gates.length > 1 ? ['several gates at once'] : [];
    }
    case 'gate:answered':
      return [
        ...(event.by === 'prepared' ? (['answers prepared'] as const) : []),
        ...(event.value === 'approve' ? (['calls approved'] as const) : []),
      ];
    case 'gate:expired':
      return [event.gate.includes('#') ? 'approvals that ran out' : 'gates that ran out'];
    case 'effect:requested':
      return event.grant === undefined ? [] : ['calls granted'];
    case 'effect:succeeded':
      return [
        ...(event.errors === undefined ? [] : (['parts of results'] as const)),
        ...(event.replayed === true ? (['results used instead of doing it again'] as const) : []),
      ];
    case 'effect:failed':
      return event.effect.type === 'tool' ? ofTool(event) : [];
    case 'node:failed':
      return ofNode(subject, event);
    default:
      return [];
  }
}

/** The endings of stopped effects that may not be repeated. */
function ofStop({ isAborted, isIdempotent, ending }: Subject['executions'][number]): Meeting[] {
  if (!isAborted || isIdempotent) return [];
  switch (ending?.type) {
    case 'succeeded':
      return ['stopped effects that had ended well'];
    case 'failed':
      return ['stopped effects that had failed'];
    case 'stopped':
      return ['stopped effects in doubt'];
    default:
      return [];
  }
}

function ofTool({ error, output }: EventOf<'effect:failed'>): readonly Meeting[] {
  const { kind, details, cause } = error;
  const part = output === undefined ? [] : (['parts of failures'] as const);
  switch (kind) {
    case 'tool.denied':
      return deniedBy(details?.['by'], details?.['ask'] === true);
    case 'tool.forbidden':
      return ['forbidden tools'];
    case 'tool.not_found':
      return ['unknown tools'];
    case 'tool.input_invalid':
      return ['wrong arguments'];
    case 'mcp.unreachable':
      return ['servers away'];
    case 'tool.timeout':
      return ['tools out of time'];
    case 'tool.output_malformed':
      return ['rubbish of tools'];
    case 'effect.outcome_unknown':
      return cause?.kind === 'mcp.unreachable' ? ['servers killed in the middle'] : [];
    default:
      return part;
  }
}

function deniedBy(by: unknown, isAsked: boolean): readonly Meeting[] {
  switch (by) {
    case 'person':
      return ['calls denied by a person'];
    case 'guard':
      return [isAsked ? 'calls that a guard asks about' : 'calls denied by a guard'];
    case 'nobody':
      return ['calls denied for want of people'];
    default:
      return [];
  }
}

function ofNode({ plan }: Subject, { path, error }: EventOf<'node:failed'>): readonly Meeting[] {
  switch (error.kind) {
    case 'gate.no_one_to_ask':
      return ['gates without people'];
    case 'agent.permission_denied':
      return ['writes refused'];
    case 'agent.output_invalid':
      return ['agents that stay wrong'];
    case 'tool.denied':
    case 'tool.forbidden':
      return nodeAt(plan, path)?.node.type === 'agent' ? ['refusals repeated'] : [];
    default:
      return [];
  }
}
