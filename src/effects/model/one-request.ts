/**
 * A `fetch` that sends one request for each call and no other. Retries are off, but a provider package
 * may also ask for the rest of a long answer by itself; that would be a request that nobody planned or
 * counted. A call is known by its signal, so that one client serves many calls.
 */
import { ErrandError } from '../../errors/errand-error.ts';
import { withEvents } from './answer-without-events.ts';
import { factsOf, type Asked } from './failure.ts';

export function oneRequest(asked: Asked): typeof fetch {
  const sent = new WeakSet<AbortSignal>();
  return async (input, init) => {
    const signal = init?.signal ?? undefined;
    if (signal !== undefined) {
      if (sent.has(signal)) throw secondRequest(asked);
      sent.add(signal);
    }
    return withEvents(await fetch(input, init), asked);
  };
}

function secondRequest(asked: Asked): ErrandError {
  return new ErrandError({
    kind: 'provider.truncated',
    message: `The answer of ${asked.model} is longer than one request can bring`,
    provider: factsOf(asked),
    action: {
      kind: 'change_input',
      detail: 'Ask for less, split the task, or set a lower `max_tokens`.',
    },
  });
}
