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
import { boundedResponse } from './stream/bounded-response.ts';
import { OwnFailure } from '../thrown-failure.ts';
import type { ModelRef } from '../../providers/own-findings.ts';
import { factsOf } from './failure.ts';

export function oneRequest(modelRef: ModelRef): typeof fetch {
  const sent = new WeakSet<AbortSignal>();
  return async (input, init) => {
    const signal = init?.signal ?? undefined;
    if (signal !== undefined) {
      if (sent.has(signal)) throw secondRequest(modelRef);
      sent.add(signal);
    }
    const response = await fetch(input, { ...init, redirect: 'manual' });
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel();
      throw redirected(response, input instanceof Request ? input.url : String(input), modelRef);
    }
    // no `Response` can be made with such a status, and a part is no reply to a request for the whole
    if (response.status > 599 || response.status === 206) {
      await response.body?.cancel();
      throw unusable(response, modelRef);
    }
    const bounded = await withEvents(boundedResponse(response, modelRef), modelRef);
    return withReadableStart(bounded, modelRef);
  };
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
