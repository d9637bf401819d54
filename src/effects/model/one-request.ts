/**
 * A `fetch` that sends one request per call. Retries are off, but a provider package may request the rest
 * of a long reply by itself, which would be neither planned nor counted. A call is identified by its
 * signal, so that one client serves many calls. Redirects are not followed: the key and the prompt are
 * for the configured address only.
 */
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { providerNamed } from '../../providers/known-providers.ts';
import { draftFromFailure } from '../../providers/report-from.ts';
import { withEvents } from './stream/response-without-events.ts';
import { withReadableStart } from './stream/first-event.ts';
import { boundedReader } from './stream/bounded-response.ts';
import { readerOf, streamOf } from './stream/byte-reader.ts';
import { withReadableFrames } from './stream/error-frames.ts';
import { withEventsTaken, type TakeEventsOf, type TakeRawEvent } from './stream/raw-events.ts';
import { OwnFailure } from '../thrown-failure.ts';
import type { ModelRef } from '../../providers/own-findings.ts';
import { factsOf } from './model-failure.ts';

export interface OneRequest {
  readonly fetch: typeof fetch;
  /** Absent where the events are frames of bytes. */
  readonly takeEventsOf?: TakeEventsOf;
}

export function oneRequest(
  modelRef: ModelRef,
  { hasBinaryEvents = false }: { readonly hasBinaryEvents?: boolean | undefined } = {},
): OneRequest {
  const sent = new WeakSet<AbortSignal>();
  const takers = new WeakMap<AbortSignal, TakeRawEvent>();
  const fetchOnce: typeof fetch = async (input, init) => {
    const signal = init?.signal ?? undefined;
    if (signal !== undefined) {
      if (sent.has(signal)) throw secondRequest(modelRef);
      sent.add(signal);
    }
    const take = signal === undefined ? undefined : takers.get(signal);
    if (take === undefined && !hasBinaryEvents) throw unknownCall(modelRef);
    const response = await fetch(input, { ...init, redirect: 'manual' });
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel();
      throw redirected(response, input instanceof Request ? input.url : String(input), modelRef);
    }
    // no `Response` can have such a status, and a part is no reply to a request for the whole
    if (response.status > 599 || response.status === 206) {
      await response.body?.cancel();
      throw unusable(response, modelRef);
    }
    return checked(response, { modelRef, hasBinaryEvents, take });
  };
  if (hasBinaryEvents) return { fetch: fetchOnce };
  return {
    fetch: fetchOnce,
    takeEventsOf: (signal, take) => {
      if (signal instanceof AbortSignal) takers.set(signal, take);
    },
  };
}

/** The response for the SDK, which reads its body through all checks. */
async function checked(
  response: Response,
  {
    modelRef,
    hasBinaryEvents,
    take,
  }: {
    readonly modelRef: ModelRef;
    readonly hasBinaryEvents: boolean;
    readonly take: TakeRawEvent | undefined;
  },
): Promise<Response> {
  const { body, status, statusText, headers } = response;
  if (body === null) return response;
  const bounded = boundedReader(readerOf(body), response, { modelRef, hasBinaryEvents });
  const events = await withEvents(bounded, response, modelRef);
  const started = withReadableStart(events, response, modelRef);
  const readable = hasBinaryEvents ? withReadableFrames(started, response) : started;
  const taken =
    take === undefined || !response.ok ? readable : withEventsTaken(readable, take, modelRef);
  return new Response(streamOf(taken), { status, statusText, headers });
}

/** Classified like any response with that status; the message names only the target host. */
function redirected({ status, headers }: Response, from: string, modelRef: ModelRef): ErrandError {
  const draft = draftFromFailure({
    ...modelRef,
    operation: 'generate',
    status,
    headers: {},
    phase: 'headers',
    delivered: false,
    source: 'errand',
  });
  const location = headers.get('location') ?? '';
  const to = location === '' ? null : URL.parse(location, from);
  const where = to === null || to.host === '' ? '' : ` to ${to.host}`;
  const { display } = providerNamed(modelRef.provider);
  return new OwnFailure({
    ...draft,
    message: `${display} returned a redirect${where} (HTTP ${status}), which was not followed; nothing was sent there.`,
    action: {
      kind: 'fix_setup',
      detail:
        'Set the base URL (`runtime.provider.base_url`, or the variable of the provider) to the address that does not redirect.',
    },
  });
}

function unusable({ status, headers }: Response, modelRef: ModelRef): ErrandError {
  const draft = draftFromFailure({
    ...modelRef,
    operation: 'generate',
    status,
    headers: Object.fromEntries(headers),
    phase: 'headers',
    delivered: false,
    source: 'errand',
  });
  const { display } = providerNamed(modelRef.provider);
  return new ErrandError({
    ...draft,
    message: `${display} answered with HTTP ${status}, which is not a reply.`,
  });
}

/** Nobody would read its events, so it is not sent. */
function unknownCall(modelRef: ModelRef): ErrandError {
  const { display } = providerNamed(modelRef.provider);
  return new ErrandError({
    kind: 'provider.not_configured',
    outcome: 'not_started',
    message: `The package for ${display} sends a request without the signal of its call`,
    provider: factsOf(modelRef),
    action: { kind: 'install_package', detail: 'Install the newest version of the package.' },
  });
}

function secondRequest(modelRef: ModelRef): ErrandError {
  return new ErrandError({
    kind: 'provider.truncated',
    message: `The reply of ${modelRef.model} is too long for one request`,
    provider: factsOf(modelRef),
    action: {
      kind: 'change_input',
      detail: 'Request less, split the task, or set a lower `max_tokens`.',
    },
  });
}
