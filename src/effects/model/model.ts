/**
 * The effect of one model call: one request, read as a stream, judged when it ended. It retries
 * nothing, runs no tool and believes no answer that has no good end; `failure.ts` has the table of
 * what is known after each way of failing.
 */
import { isPlainObject } from '../../errors/json.ts';
import type { ReportDraft } from '../../errors/report.ts';
import type {
  ModelAnswer,
  ModelCall,
  ModelProgress,
  PartialAnswer,
} from '../../machine/model-call.ts';
import { REFRESHABLE } from '../../machine/chain.ts';
import { given } from '../../workflow/given.ts';
import { MACHINE_CLOCK } from '../clock.ts';
import {
  cancelledBefore,
  neverRejecting,
  type Effect,
  type EffectContext,
  type EffectFailure,
  type EffectResult,
  type Suppressed,
  type Used,
} from '../effect.ts';
import { toOutput } from '../output.ts';
import { createFindCredential, type Credential, type FindCredential } from './credentials.ts';
import { badEnding, factsOf, stopped, whatWasThrown, type Asked, type Failed } from './failure.ts';
import {
  askedFor,
  createFindModel,
  settingsFor,
  type FindModel,
  type FoundModel,
  type ModelHost,
} from './find-model.ts';
import { listen, newHeard, type Heard } from './listen.ts';
import { createLoadPackage, type LoadPackage } from './load-package.ts';
import { prepareCall, type PreparedCall } from './prompt.ts';
import { DEFAULT_TIMEOUTS, type ModelRequest, type ModelTimeouts } from './request.ts';
import type { SdkWarning } from './sdk.ts';
import { turnOf, type Turn } from './turn.ts';
import { estimateUsage, NOTHING_USED, usedSoFar, usedUp } from './usage.ts';
import { Watch } from './watch.ts';

export interface ModelEffectOptions extends ModelHost {
  readonly timeouts?: Partial<ModelTimeouts>;
  /** Where packages are found. Default: beside the workflow, the process and Errand. */
  readonly loadPackage?: LoadPackage;
}

export function createModelEffect(options: ModelEffectOptions): Effect<ModelRequest> {
  const find = createFindModel(options, options.loadPackage ?? createLoadPackage());
  const findCredential = createFindCredential(options);
  return neverRejecting((request, context) => {
    const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts, ...request.timeouts };
    return callOnce({ request, context, timeouts, find, findCredential });
  });
}

interface Attempt {
  readonly request: ModelRequest;
  readonly context: EffectContext;
  readonly timeouts: ModelTimeouts;
  readonly find: FindModel;
  readonly findCredential: FindCredential;
}

async function callOnce(attempt: Attempt): Promise<EffectResult> {
  const { request, context, timeouts, findCredential } = attempt;
  const { call, settings, directory } = request;
  if (context.signal.aborted) return cancelledBefore(context.cancelled ?? 'cancelled.call');
  const asked = askedFor(call.model);
  const known: Known = { call, asked, context };
  const watch = new Watch(context.clock ?? MACHINE_CLOCK, timeouts, context.signal);
  if (request.timeoutMs !== undefined) watch.within(request.timeoutMs);
  try {
    const credential = findCredential(asked, settingsFor(settings, asked), directory);
    if (credential === undefined) return await speak(attempt, known, watch);
    return await speakWithKey(attempt, known, { watch, credential });
  } finally {
    watch.close();
  }
}

/** A key that is refused can be made anew, and whoever decides is told so. */
async function speakWithKey(
  attempt: Attempt,
  known: Known,
  { watch, credential }: { readonly watch: Watch; readonly credential: Credential },
): Promise<EffectResult> {
  const isRefresh = attempt.request.refreshesKey === true;
  const { signal } = watch;
  let key: string | undefined;
  try {
    const abandoned = watch.abandoned.then(() => undefined);
    key = await Promise.race([credential.key({ isRefresh, signal }), abandoned]);
  } catch (thrown) {
    if (watch.stop === undefined) return notStarted(thrown, known);
  }
  if (key === undefined || watch.stop !== undefined) return neverAsked(watch, known);
  // from here on it may be repeated to us, by the provider or by a tool
  known.context.redactor.learn?.(key);
  const result = await speak(attempt, known, watch, key);
  if (result.ok || result.failure.kind !== 'provider.auth') return result;
  credential.refuse(key);
  const { failure } = result;
  const said = isPlainObject(failure.details) ? failure.details : {};
  return { ...result, failure: { ...failure, details: { ...said, [REFRESHABLE]: true } } };
}

/** Whoever makes the key took too long, or nobody wants the answer any more. */
function neverAsked({ stop }: Watch, known: Known): EffectFailure {
  const ended = stop === undefined || stop.by === 'failure' ? { by: 'caller' as const } : stop;
  const { failure } = stopped(ended, newHeard(), known);
  return { ok: false, failure: { ...failure, outcome: 'not_started' }, ...NOTHING_USED };
}

async function speak(
  { request, find }: Attempt,
  known: Known,
  watch: Watch,
  apiKey?: string,
): Promise<EffectResult> {
  const { settings, directory } = request;
  const { call, asked, context } = known;
  let found: FoundModel;
  let prepared: PreparedCall;
  try {
    found = find({ name: call.model, asked, ...given({ settings, directory, apiKey }) });
    prepared = prepareCall(call, found);
  } catch (thrown) {
    return notStarted(thrown, known);
  }
  const heard = newHeard({ hasTools: call.tools.length > 0 });
  const ended = listen(
    () =>
      found.sdk.stream({
        ...prepared,
        // some providers count only there, and of the words that end an answer the SDK keeps the last
        include: { rawChunks: true },
        model: found.model,
        abortSignal: watch.signal,
      }),
    {
      heard,
      watch,
      onDelta: (type, delta) => announce(context, { type, attempt: context.attempt, delta }),
    },
  );
  await Promise.race([ended, watch.abandoned]);
  watch.close();
  return judge(heard, watch, known);
}

/** A watcher that throws hurts nobody, least of all the call. */
function announce({ progress }: EffectContext, told: ModelProgress): void {
  try {
    progress?.({ ...told });
  } catch {
    // subscribers report their own failures; this one only stops hearing
  }
}

interface Known {
  readonly call: ModelCall;
  readonly asked: Asked;
  readonly context: EffectContext;
}

function judge(heard: Heard, { stop }: Watch, known: Known): EffectResult {
  const { finish, error } = heard;
  // what was heard was heard before any stop
  if (error !== undefined) return failed(whatWasThrown(error.thrown, heard, known), heard, known);
  if (finish === undefined && stop !== undefined && stop.by !== 'failure') {
    return failed(stopped(stop, heard, known), heard, known);
  }
  const last = known.call.messages.at(-1);
  const bad = badEnding(finish, heard, { ...known, ...(last === undefined ? {} : { last }) });
  return bad === undefined ? answered(heard, known) : failed(bad, heard, known);
}

function answered(heard: Heard, known: Known): EffectResult {
  const { call, asked, context } = known;
  const { text, toolCalls, reasoning, finish } = heard;
  const by = finish?.response?.modelId;
  const turn = turnOf(heard.turn, asked.provider, toolCalls);
  const answer: ModelAnswer = {
    text,
    toolCalls,
    ...(reasoning === '' ? {} : { reasoning }),
    ...(turn.type === 'kept' ? { turn: turn.turn } : {}),
    ...(by === undefined || by === '' || by === asked.model
      ? {}
      : { answeredBy: `${asked.provider}/${by}` }),
  };
  const output = toOutput(answer, context.redactor);
  if (!output.ok) return failed({ failure: notKept(output, asked) }, heard, known);
  return {
    ok: true,
    output: output.value,
    ...usedUp(finish?.usage, estimateUsage(call, writtenIn(heard))),
    ...suppressedOf(heard, asked, turn),
  };
}

function failed({ failure, thrown }: Failed, heard: Heard, known: Known): EffectFailure {
  const { call, asked, context } = known;
  const partial: PartialAnswer = { text: context.redactor.values(heard.text) };
  return {
    ok: false,
    failure,
    ...(heard.text === '' ? {} : { output: { ...partial } }),
    ...usedByFailure(failure.outcome, heard, call),
    ...suppressedOf(heard, asked),
    ...(thrown === undefined ? {} : { thrown }),
  };
}

/** Refusals cost nothing. An answer that broke off, or that nobody heard, was worked on. */
function usedByFailure(outcome: string | undefined, heard: Heard, call: ModelCall): Used {
  const { finish, error, isDelivered } = heard;
  const written = writtenIn(heard);
  const hasEnd =
    finish !== undefined && error === undefined && finish.rawFinishReason !== undefined;
  if (hasEnd) return usedUp(finish.usage, estimateUsage(call, written));
  const isRefused = outcome === 'failed' || outcome === 'not_started';
  if (isRefused && !isDelivered) return NOTHING_USED;
  const counted = finish?.usage.inputTokens === undefined ? heard.counted : finish.usage;
  return usedSoFar(counted, estimateUsage(call, written));
}

/** Some providers send calls without telling of their pieces, and some pieces get lost. */
function writtenIn({ written, text, reasoning, toolCalls }: Heard): number {
  const kept = text.length + reasoning.length + JSON.stringify(toolCalls).length - '[]'.length;
  return Math.max(written, kept);
}

function notStarted(
  thrown: unknown,
  known: { readonly asked: Asked; readonly context: EffectContext },
): EffectFailure {
  const { failure } = whatWasThrown(thrown, { isDelivered: false }, known);
  return { ok: false, failure: { ...failure, outcome: 'not_started' }, thrown, ...NOTHING_USED };
}

/** What the SDK left out of the request, so that it does not vanish. */
function suppressedOf(
  { warnings }: Heard,
  asked: Asked,
  turn?: Turn,
): { readonly suppressed?: readonly Suppressed[] } {
  const unsupported = (message: string, reason: string): Suppressed => ({
    failure: { kind: 'provider.unsupported', message, provider: factsOf(asked) },
    reason,
  });
  const suppressed = warnings.map((warning) =>
    unsupported(
      `${asked.model} was called without something that was asked for: ${wordsOf(warning)}`,
      'The call was made without it.',
    ),
  );
  if (turn?.type === 'too_long')
    suppressed.push(
      unsupported(
        `The thoughts of ${asked.model} are too long to be kept: ${turn.chars} characters`,
        'The conversation goes on without them.',
      ),
    );
  return suppressed.length === 0 ? {} : { suppressed };
}

function wordsOf({ feature, setting, details, message }: SdkWarning): string {
  const what = feature ?? setting;
  const why = details ?? message;
  return [what, why].filter((word) => word !== undefined && word !== '').join(': ') || 'not said';
}

/** Arguments of a tool can be nested deeper than anything here reads. */
function notKept(
  { pointer, problem }: { readonly pointer: string; readonly problem: string },
  asked: Asked,
): ReportDraft {
  return {
    kind: 'agent.output_invalid',
    message: `The answer of ${asked.model} cannot be kept: ${pointer} ${problem}`,
    details: { pointer },
    provider: factsOf(asked),
  };
}
