/**
 * Laws about the tool results that a model sees: those in the log, in the form that it may see, and
 * nothing else.
 */
import { textOrJson, isPlainObject, type JsonValue } from '../../errors/support/safe-json.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import type { ModelCall, ModelMessage } from '../../machine/conversation/model-message.ts';
import { callsOf, settledBy, type AskedCall } from './calls.ts';
import { SECRET } from './secret.ts';
import { isType, nodeAt, ofType, type EventOf, type Law, type Subject } from './subject.ts';
import { mayUse, toolsOfFile } from './tools.ts';

type Execution = Subject['executions'][number];
type ToolMessage = Extract<ModelCall['messages'][number], { role: 'tool' }>;
type Settled = EventOf<'effect:succeeded' | 'effect:failed'>;

const IN_DOUBT = 'effect.outcome_unknown';

export const shownWhatIsSo: Law = {
  name: 'a model is shown what the log says of each call: a result, or kind, message and whether to try again',
  promise: 'P9 nothing secret leaves, to models neither',
  breaches: (subject) =>
    subject.executions.flatMap((execution) => {
      const { work, path, number } = execution;
      // a supervisor has no tools, and its request lists none
      if (work.type !== 'model' || nodeAt(subject.plan, path)?.node.type !== 'agent') return [];
      if (JSON.stringify(work.call.messages).includes(SECRET))
        return [`execution ${number} of ${path} shows a key to ${work.call.model}`];
      const shown = latestResults(work.call);
      const asked = latestCalls(subject, execution);
      // messages before the first call, or after a reply without any
      if (shown.length === 0) return [];
      return shown.flatMap((message, index) => {
        const call = asked[index];
        const settled =
          call === undefined ? undefined : settledBy(subject, call, execution.afterSeq);
        const due =
          settled === undefined ? endedBy(subject, execution, message) : wordsFor(settled);
        return JSON.stringify(message.result) === JSON.stringify(due) || isPartOf(message, due)
          ? []
          : [
              `execution ${number} of ${path} is shown ${JSON.stringify(message.result)} of ${message.name}, and the log has ${JSON.stringify(due)}`,
            ];
      });
    }),
};

/** The beginning of a long result, with its full length. */
function isPartOf({ id, result }: ToolMessage, due: JsonValue | undefined): boolean {
  if (due === undefined || !isPlainObject(result) || result['call'] !== id) return false;
  const whole = textOrJson(due);
  const { text, total_chars: total } = result;
  return typeof text === 'string' && whole.startsWith(text) && total === whole.length;
}

/**
 * A call that ended its node by itself: when the conversation continues, the model sees its result.
 */
function endedBy(
  { events }: Subject,
  { path, afterSeq }: Execution,
  message: ToolMessage,
): JsonValue | undefined {
  return ofType(events.slice(0, afterSeq), 'node:failed')
    .filter((event) => event.path === path)
    .map(({ error }) => ({ error: wordsOf(error) }))
    .find(
      (words) =>
        JSON.stringify(words) === JSON.stringify(message.result) || isPartOf(message, words),
    );
}

/** The results that follow the latest reply; earlier ones were checked with their own request. */
function latestResults({ messages }: ModelCall): readonly ToolMessage[] {
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  if (last < 0) return [];
  return messages.slice(last).filter((message): message is ToolMessage => message.role === 'tool');
}

function latestCalls(
  subject: Subject,
  { path, afterSeq }: Pick<Execution, 'path' | 'afterSeq'>,
): readonly AskedCall[] {
  const before = callsOf(subject).all.filter(
    (asked) => asked.path === path && asked.answerSeq <= afterSeq,
  );
  return before.filter(({ answerSeq }) => answerSeq === before.at(-1)?.answerSeq);
}

function wordsFor(settled: Settled): JsonValue {
  if (settled.type === 'effect:failed') {
    const isPart = settled.output !== undefined && settled.error.outcome === 'partial';
    const error = wordsOf(settled.error);
    return isPart ? { error, partial: settled.output ?? null } : { error };
  }
  const { output, errors } = settled;
  return errors === undefined ? output : { result: output, errors: errors.map(wordsOf) };
}

function wordsOf({ kind, message, retryable }: ErrorReport): JsonValue {
  return { kind, message, can_retry: retryable };
}

function isCut(messages: readonly ModelMessage[]): boolean {
  return messages.some(
    ({ role, ...rest }) => role === 'tool' && JSON.stringify(rest).includes('read_tool_output'),
  );
}

export const offeredWhatIsAllowed: Law = {
  name: 'a model is offered only the tools that its node may use',
  promise: 'tools: what is not allowed is not done',
  breaches: ({ executions, plan }) =>
    executions.flatMap(({ work, path, number }) => {
      const found = nodeAt(plan, path);
      if (work.type !== 'model' || found === undefined) return [];
      const { node } = found;
      return work.call.tools.flatMap(({ name }) => {
        const isOwn =
          node.type === 'agent' &&
          (mayUse(node, name.replace('__', '/'), toolsOfFile(plan, found)) ||
            (name === 'write_state' && node.writes.length > 0) ||
            (name === 'ask_person' && node.dialog !== undefined) ||
            // it was given a part of a result before
            (name === 'read_tool_output' && isCut(work.call.messages)) ||
            (name === 'raise_error' && node.raises !== undefined));
        return isOwn ? [] : [`execution ${number} of ${path} offers ${name}`];
      });
    }),
};

export const partsAreApart: Law = {
  name: 'a partial result is kept as it was given, with typed errors beside it for the missing rest',
  promise: 'partial results: errors beside the payload, never in it',
  breaches: (subject) => [
    ...subject.executions.flatMap((execution) => {
      const { ending, path } = execution;
      const said = receivedOf(subject, execution);
      if (said === undefined) return [];
      if (ending?.type === 'succeeded' && said.type === 'effect:succeeded') {
        const kinds = said.errors?.map(({ kind }) => kind);
        return JSON.stringify(kinds) === JSON.stringify(ending.errors)
          ? []
          : [`event ${said.seq} at ${path} has other errors than its effect gave`];
      }
      // another kind: the process that took over the run did not receive it
      const isReceived = said.type === 'effect:failed' && ending?.type === 'failed';
      if (!isReceived || said.error.kind !== ending.kind) return [];
      const isKept = JSON.stringify(said.output) === JSON.stringify(ending.output);
      return isKept || said.effect.type === 'model' ? [] : [`event ${said.seq} lost its part`];
    }),
    ...subject.events.flatMap((event, index) => {
      if (event.type !== 'node:completed') return [];
      const before = subject.events
        .slice(0, index)
        .findLast((each) => 'path' in each && each.path === event.path);
      if (before?.type !== 'effect:succeeded' || before.effect.type === 'model') return [];
      return JSON.stringify([before.output, before.errors]) ===
        JSON.stringify([event.output, event.errors])
        ? []
        : [`event ${event.seq} at ${event.path} is not what its effect gave`];
    }),
  ],
};

/** The result in the log of an execution, if its process lived to store it. */
function receivedOf(
  { events }: Subject,
  { effect, afterSeq, isAborted }: Execution,
): Settled | undefined {
  if (isAborted) return undefined;
  const said = events
    .slice(afterSeq)
    .find(
      (event) =>
        isType(event, 'effect:requested', 'effect:failed', 'effect:succeeded') &&
        event.effect.key === effect.key,
    );
  return said !== undefined && isType(said, 'effect:succeeded', 'effect:failed') ? said : undefined;
}

export const doubtIsSaid: Law = {
  name: 'an effect that may not be repeated and whose end nobody knows fails as effect.outcome_unknown, and no model is shown it',
  promise: 'P4 nothing repeated blindly',
  breaches: (subject) =>
    subject.executions.flatMap((execution) => {
      const { ending, isIdempotent, isAborted, path, effect, afterSeq } = execution;
      if (isIdempotent || isAborted) return [];
      const said = subject.events
        .slice(afterSeq)
        .find(
          (event) =>
            isType(event, 'effect:requested', 'effect:failed', 'effect:succeeded') &&
            event.effect.key === effect.key,
        );
      if (said?.type === 'effect:requested')
        return [`event ${said.seq} at ${path} passes over what execution ${execution.number} did`];
      const isUnknown = ending?.type === 'lost' || ending?.type === 'died';
      if (said?.type !== 'effect:failed' || !isUnknown) return [];
      const { kind, cause } = said.error;
      if (kind.startsWith('cancelled.') || kind === 'limit.node_timeout') return [];
      // recovered by a process that took over the run and saw nothing of it
      const isSeen =
        cause === undefined ||
        (ending.type === 'lost' && [cause.kind, cause.cause?.kind].includes(ending.kind));
      const isNamed = kind === IN_DOUBT && isSeen;
      if (!isNamed) return [`event ${said.seq} at ${path} calls it ${kind}`];
      const shown = subject.executions.find(
        (later) =>
          later.path === path &&
          later.work.type === 'model' &&
          later.afterSeq >= said.seq &&
          JSON.stringify(later.work.call.messages).includes(IN_DOUBT),
      );
      return shown === undefined
        ? []
        : [`execution ${shown.number} shows a model the doubt of ${path}`];
    }),
};
