/**
 * Turns a scripted failure into the report of a real one. A response with a status goes through extract
 * and classify, and so does the response that a provider would send for a kind. For any other kind the
 * catalog fills in the rest.
 */
import type { ReportDraft } from '../../errors/report/report.ts';
import type { ModelCall } from '../../machine/conversation/model-message.ts';
import type { ProviderFailure, TransportFault } from '../../providers/provider-failure.ts';
import { extractFailure } from '../../providers/extract/extract.ts';
import { draftFromFailure } from '../../providers/report-from.ts';
import type { SimulatedFailure } from '../../workflow/plan/plan.ts';
import { MACHINE_CLOCK } from '../clock.ts';
import type { EffectContext, EffectFailure } from '../effect-port.ts';
import { stopped } from '../model/model-failure.ts';
import type { CallStop } from '../model/call-timeouts.ts';
import { wireFailure } from './wire-failure.ts';

/** Faults below HTTP, as Node's client reports them. */
const FAULTS: Readonly<Record<string, TransportFault>> = {
  'provider.network': { name: 'Error', message: 'socket hang up', code: 'ECONNRESET' },
  'provider.stream_interrupted': { name: 'Error', message: 'aborted', code: 'ECONNRESET' },
};

type KindOfFailure = Extract<SimulatedFailure, { readonly kind: string }>;

export function scriptedFailure(
  fail: SimulatedFailure,
  call: ModelCall,
  context: EffectContext,
): EffectFailure {
  if ('status' in fail) {
    const { status, headers, body = null, provider = call.model } = fail;
    const answer = { provider, status, headers, body, transport: null };
    return { ok: false, failure: classified(answer, call, context), thrown: answer };
  }
  const { kind, message, retryAfterMs } = fail;
  const asProvider = likeAProvider(fail, call, context);
  const provider = {
    name: call.model,
    model: nameOf(call.model),
    ...asProvider?.provider,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
  const text =
    message ?? asProvider?.message ?? `The simulated model ${call.model} failed with ${kind}`;
  return { ok: false, failure: { ...asProvider, kind, message: text, provider } };
}

/** The stream broke; before its first content nothing was lost. */
export function cutFailure(
  call: ModelCall,
  delivered: boolean,
  context: EffectContext,
): EffectFailure {
  const transport = FAULTS[delivered ? 'provider.stream_interrupted' : 'provider.network'];
  const begun = delivered ? { stream: true, status: 200 } : {};
  const answer = { provider: call.model, ...begun, transport };
  return { ok: false, failure: classified(answer, call, context, delivered), thrown: answer };
}

export type LimitStop = Extract<CallStop, { readonly by: 'limit' | 'node' }>;

/** The failure of a real model that sends nothing within its time limit. */
export function hangFailure(
  stop: LimitStop,
  { model }: ModelCall,
  context: EffectContext,
): EffectFailure {
  const state = { isBegun: false, isDelivered: false };
  const modelRef = { provider: model, model: nameOf(model) };
  return { ok: false, ...stopped(stop, state, { modelRef, context }) };
}

/** The same category, scope and evidence as a real failure of that kind. */
function likeAProvider(
  { kind, retryAfterMs }: KindOfFailure,
  call: ModelCall,
  context: EffectContext,
): ReportDraft | undefined {
  const name = `${kind} ${retryAfterMs} ${call.model}`;
  const known = KNOWN_DRAFTS.get(name);
  if (known !== undefined) return known;
  const answer = wireFailure(kind, 'openai', { retryAfterMs });
  const transport = FAULTS[kind];
  if (answer === undefined && transport === undefined) return undefined;
  const stream = kind === 'provider.stream_interrupted' ? { stream: true } : {};
  const failure = { provider: call.model, ...(answer ?? { transport }), ...stream };
  const draft = classified(failure, call, context);
  if (draft.kind !== kind) return undefined;
  if (KNOWN_DRAFTS.size < MOST_KNOWN) KNOWN_DRAFTS.set(name, draft);
  return draft;
}

/**
 * Drafts by kind, hint and model: a rehearsal has the same failure hundreds of times. The response of a kind
 * holds no date, so its draft depends on nothing else.
 */
const KNOWN_DRAFTS = new Map<string, ReportDraft>();
const MOST_KNOWN = 512;

function classified(
  answer: object,
  call: ModelCall,
  context: EffectContext,
  delivered?: boolean,
): ReportDraft {
  const model = nameOf(call.model);
  const failure: ProviderFailure = extractFailure(answer, { model, delivered }) ?? {
    provider: call.model,
    model,
    operation: 'generate',
    headers: {},
    phase: 'headers',
    delivered: false,
    source: 'simulator',
  };
  const at = new Date((context.clock ?? MACHINE_CLOCK).now()).toISOString();
  const stamp = { id: `${context.idempotencyKey}.${context.attempt}`, at };
  return draftFromFailure(failure, { stamp });
}

function nameOf(model: string): string {
  return model.slice(model.indexOf('/') + 1);
}
