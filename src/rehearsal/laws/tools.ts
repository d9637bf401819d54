/**
 * Laws about what agents may do with tools: the lists of the node, people, guards, and the limits of repetition.
 */
import { isPlainObject, type JsonValue } from '../../errors/support/safe-json.ts';
import type { ToolCall } from '../../machine/conversation/model-message.ts';
import type { ToolDescriptions } from '../../workflow/authoring/tool-description.ts';
import type { AgentPlan } from '../../workflow/plan/node-plan.ts';
import type { WorkflowPlan } from '../../workflow/plan/plan.ts';
import { callAt, callsOf, isGateOf, settledBy, type AskedCall } from './calls.ts';
import { nodeAt, ofType, type EventOf, type Found, type Law, type Subject } from './subject.ts';

type Execution = Subject['executions'][number];

export const toolsAreAllowed: Law = {
  name: 'an agent’s tool runs only if the node may use it and the policy allows it, whatever anyone grants',
  promise: 'tools: what is not allowed is not done',
  breaches: ({ executions, plan }) =>
    executions.flatMap(({ work, path, number }) => {
      const found = nodeAt(plan, path);
      if (work.type !== 'tool' || found?.node.type !== 'agent') return [];
      return mayUse(found.node, work.tool, toolsOfFile(plan, found))
        ? []
        : [`execution ${number} of ${path} ran ${work.tool}, which it may not use`];
    }),
};

/** The tools that nodes of the file may call, as they are declared. */
export function toolsOfFile(plan: WorkflowPlan, { file }: Found): ToolDescriptions {
  return plan.tools?.[file === plan ? '' : file.file] ?? {};
}

export function mayUse(
  { tools, policy: { allow, deny } }: AgentPlan,
  tool: string,
  declared: ToolDescriptions,
): boolean {
  const isGiven =
    tools === null ? declared[tool]?.writes === false : tools.some((wanted) => fits(wanted, tool));
  const isAllowed = allow.length === 0 || allow.some((wanted) => fits(wanted, tool));
  return isGiven && isAllowed && !deny.some((unwanted) => fits(unwanted, tool));
}

function fits(wanted: string, tool: string): boolean {
  return wanted === tool || (wanted.endsWith('/*') && tool.startsWith(wanted.slice(0, -1)));
}

export const approvalsAreExact: Law = {
  name: 'a call that a person has to approve is made only after that approval, with the arguments that were shown, or by a grant',
  promise: 'tools: an approval is for one call with exactly its arguments',
  breaches: (subject) =>
    subject.executions.flatMap((execution) => {
      const { work, path, number } = execution;
      const node = nodeAt(subject.plan, path)?.node;
      if (work.type !== 'tool' || node?.type !== 'agent') return [];
      if (!node.policy.ask.some((wanted) => fits(wanted, work.tool))) return [];
      return isApproved(subject, execution) || isGranted(subject, execution)
        ? []
        : [`execution ${number} of ${path} ran ${work.tool} unasked`];
    }),
};

/** At the gate of this very call, whose words show the arguments that it was made with. */
function isApproved(subject: Subject, { work, effect, path, afterSeq }: Execution): boolean {
  const asked = callAt(subject, effect.key, afterSeq);
  if (work.type !== 'tool' || asked === undefined) return false;
  const { answerSeq } = asked;
  const isIts = (gate: string): boolean =>
    gate.startsWith(`${path}/${work.tool}#`) && isGateOf(gate, asked);
  const opened = ofType(subject.events, 'gate:opened');
  /** A name that has meant another call. */
  const used = new Set(opened.filter(({ seq }) => seq < answerSeq).map(({ gate }) => gate));
  const isShown = opened.some(
    (event) =>
      isIts(event.gate) &&
      !used.has(event.gate) &&
      event.seq > answerSeq &&
      event.prompt.endsWith(` with ${JSON.stringify(work.arguments)}?`),
  );
  return (
    isShown &&
    ofType(subject.events, 'gate:answered').some(
      (event) =>
        isIts(event.gate) &&
        event.seq > answerSeq &&
        event.seq <= afterSeq &&
        (event.value === 'approve' || scopeOf(event.value) !== undefined),
    )
  );
}

/**
 * A person granted it earlier for the run or for this node; its request names the person and the
 * gate.
 */
function isGranted(subject: Subject, { effect, path, afterSeq, work }: Execution): boolean {
  const requested = callsOf(subject)
    .effects.get(effect.key)
    ?.findLast(({ seq, type }) => seq <= afterSeq && type === 'effect:requested');
  const grant = firstGrant(subject, effect.key, requested?.seq ?? 0);
  if (grant === undefined || work.type !== 'tool') return false;
  return ofType(subject.events, 'gate:answered').some((event) => {
    if (event.gate !== grant.gate || event.by !== grant.by || event.seq > afterSeq) return false;
    const isOfTool = event.gate.slice(event.path.length + 1).startsWith(`${work.tool}#`);
    const scope = scopeOf(event.value);
    const isSameFile = nodeAt(subject.plan, event.path)?.file === nodeAt(subject.plan, path)?.file;
    return isOfTool && (scope === 'run' ? isSameFile : scope === 'node' && event.path === path);
  });
}

/** A repeated call, by its own policy or after a crash, keeps its grant. */
function firstGrant(
  subject: Subject,
  key: string,
  untilSeq: number,
): EventOf<'effect:requested'>['grant'] {
  const asked = callAt(subject, key, untilSeq);
  const effects = callsOf(subject).effects.get(key) ?? [];
  const found = effects.find(
    (event) =>
      event.type === 'effect:requested' &&
      event.grant !== undefined &&
      event.seq > (asked?.answerSeq ?? 0) &&
      event.seq <= untilSeq,
  );
  return found?.type === 'effect:requested' ? found.grant : undefined;
}

function scopeOf(value: JsonValue): 'node' | 'run' | undefined {
  const approve = isPlainObject(value) ? value['approve'] : undefined;
  const scope = isPlainObject(approve) ? approve['for'] : undefined;
  return scope === 'node' || scope === 'run' ? scope : undefined;
}

export const guardsAreObeyed: Law = {
  name: 'no tool runs that a guard denies, and none that a guard asks about before a person has approved the call',
  promise: 'tools: guards can only tighten',
  breaches: (subject) => {
    const { judge } = subject;
    if (judge === undefined) return [];
    return subject.executions.flatMap((execution) => {
      const { work, path, number } = execution;
      if (work.type !== 'tool') return [];
      const opinion = judge(work.tool, work.arguments);
      if (opinion === 'deny') return [`execution ${number} of ${path} ran ${work.tool}, denied`];
      const isFree = opinion === 'allow' || isApprovedFor(subject, execution);
      return isFree ? [] : [`execution ${number} of ${path} ran ${work.tool}, not approved`];
    });
  },
};

/** A grant does not count: a guard judges each call. */
function isApprovedFor(subject: Subject, execution: Execution): boolean {
  const { path, afterSeq, work } = execution;
  if (nodeAt(subject.plan, path)?.node.type === 'agent') return isApproved(subject, execution);
  const started = subject.events.findLast(
    (event) => event.seq <= afterSeq && event.type === 'node:started' && event.path === path,
  );
  return ofType(subject.events, 'gate:answered').some(
    (event) =>
      event.seq > (started?.seq ?? 0) &&
      event.seq <= afterSeq &&
      work.type === 'tool' &&
      event.gate === `${path}/${work.tool}` &&
      event.value === 'approve',
  );
}

const REFUSALS: ReadonlySet<string> = new Set(['tool.denied', 'tool.forbidden']);

export const refusedTwiceIsTheEnd: Law = {
  name: 'the same call, forbidden or denied a second time, fails the node, and the model is not called again',
  promise: 'tools: a refusal is not argued with',
  breaches: (subject) => {
    const refused = new Map<string, number>();
    return callsOf(subject).all.flatMap((asked) => {
      const settled = settledBy(subject, asked);
      if (settled?.type !== 'effect:failed' || !REFUSALS.has(settled.error.kind)) return [];
      // an attempt that continues a conversation decides about the call once more
      const same = `${asked.path} ${tryAt(subject, asked, settled.seq)} ${sameCall(asked.call)}`;
      const before = refused.get(same);
      refused.set(same, settled.seq);
      if (before === undefined) return [];
      const next = nextRequest(subject, asked, settled.seq);
      return next === undefined
        ? []
        : [
            `event ${next.seq} at ${asked.path} continues after events ${before} and ${settled.seq}`,
          ];
    });
  },
};

/** Number of the event that started the attempt in which this happened. */
function tryAt({ events }: Subject, { path }: AskedCall, seq: number): number {
  const started = ofType(events.slice(0, seq), 'node:started');
  return started.findLast((event) => event.path === path)?.seq ?? 0;
}

function sameCall({ name, arguments: given, unparsable }: ToolCall): string {
  return JSON.stringify([name, given ?? unparsable ?? null]);
}

/** The next call of the model in this attempt. */
function nextRequest(
  { events }: Subject,
  { path }: AskedCall,
  afterSeq: number,
): EventOf<'effect:requested'> | undefined {
  for (const event of events.slice(afterSeq)) {
    if (!('path' in event) || event.path !== path) continue;
    if (event.type === 'node:started' || event.type === 'node:failed') return undefined;
    if (event.type === 'effect:requested' && event.effect.type === 'model') return event;
  }
  return undefined;
}

/** By the contract, independently of the engine's limits. */
const MOST_CORRECTIONS = { calls: 3, answers: 2 };

const WRONG: ReadonlySet<string> = new Set([
  'tool.input_invalid',
  'tool.not_found',
  'tool.forbidden',
]);

export const correctionsAreFew: Law = {
  name: 'an attempt sends a model back at most three times for wrong calls, and twice for the form of its reply',
  promise: 'agents: at most three corrections of calls, two of answers',
  breaches: (subject) => {
    const counts = new Map<string, number>();
    const count = (name: string, most: number): readonly string[] => {
      const made = (counts.get(name) ?? 0) + 1;
      counts.set(name, made);
      return made > most ? [`${name} were sent back ${made} times`] : [];
    };
    const rounds = Map.groupBy(callsOf(subject).all, ({ answerSeq }) => answerSeq);
    const ofCalls = [...rounds].flatMap(([answerSeq, calls]) => {
      const [first] = calls;
      if (first === undefined) return [];
      const next = nextRequest(subject, first, answerSeq);
      const isWrong = calls.some((asked) => {
        const settled = settledBy(subject, asked, next?.seq ?? 0);
        return settled?.type === 'effect:failed' && WRONG.has(settled.error.kind);
      });
      return next === undefined || !isWrong
        ? []
        : count(`calls of ${first.path} (${first.trySeq})`, MOST_CORRECTIONS.calls);
    });
    const starts = new Map<string, number>();
    const rejections = new Map<string, number>();
    const ofAnswers = subject.events.flatMap((event) => {
      if (event.type === 'node:started') starts.set(event.path, event.seq);
      if (event.type === 'effect:requested' && event.isRejected === true && event.attempt === 0)
        rejections.set(event.path, (rejections.get(event.path) ?? 0) + 1);
      if (event.type !== 'effect:requested' || event.isCorrection !== true) return [];
      if (event.attempt > 0 || nodeAt(subject.plan, event.path)?.node.type !== 'agent') return [];
      // a judge is corrected on its own, for each output that it judges
      const of = event.judges === true ? `judge ${rejections.get(event.path) ?? 0} of ` : '';
      const name = `answers of ${of}${event.path} (${starts.get(event.path)})`;
      return count(name, MOST_CORRECTIONS.answers);
    });
    return [...ofCalls, ...ofAnswers];
  },
};

export const writesArePermitted: Law = {
  name: 'an agent that writes a state key without permission fails with agent.permission_denied, and writes nothing',
  promise: 'agents: they write what is declared',
  breaches: (subject) =>
    callsOf(subject).all.flatMap((asked) => {
      const { call, node, path, answerSeq } = asked;
      const key = isPlainObject(call.arguments) ? call.arguments['key'] : undefined;
      if (call.name !== 'write_state' || typeof key !== 'string' || node.writes.includes(key))
        return [];
      const next = subject.events
        .slice(answerSeq)
        .find(
          (event) =>
            'path' in event &&
            event.path === path &&
            (event.type === 'node:completed' ||
              event.type === 'node:failed' ||
              event.type === 'node:started' ||
              (event.type === 'effect:requested' && event.effect.type === 'model')),
        );
      if (next?.type === 'effect:requested')
        return [`event ${next.seq} at ${path} continues although it wanted to write ${key}`];
      return next?.type === 'node:completed'
        ? [`event ${next.seq} completes ${path} although it wanted to write ${key}`]
        : [];
    }),
};
