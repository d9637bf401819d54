/** The entries of the corpus that a server on this machine can play to the real AI SDK. */
import { builtInProvider } from '../../src/effects/model/built-in.ts';
import { providerNamed } from '../../src/providers/known-providers.ts';
import { ENTRIES, type Entry } from '../corpus/entries.ts';
import { lossOf } from '../sdk-parity/losses.ts';
import { scriptOf } from '../sdk-parity/play-entry.ts';
import { isForeign, protocolOf, type Protocol } from '../sdk-parity/protocol.ts';
import type { Upstream } from './upstream.ts';

const SPOKEN_BY: Readonly<Record<Protocol, string>> = {
  chat: '@ai-sdk/openai-compatible',
  responses: '@ai-sdk/openai',
  messages: '@ai-sdk/anthropic',
  gemini: '@ai-sdk/google',
  bedrock: '@ai-sdk/amazon-bedrock',
};

export interface Playable {
  readonly entry: Entry;
  readonly protocol: Protocol;
}

/** A call is always a stream, so these are failures of one that is refused or that breaks. */
export const PLAYABLE: readonly Playable[] = ENTRIES.flatMap((entry) => {
  const protocol = protocolOf(entry);
  if (protocol === undefined || entry.transport !== null || entry.operation !== 'generate')
    return [];
  const isRefusal = entry.stream === false && (entry.status ?? 0) >= 400;
  if (entry.stream === false && !isRefusal) return [];
  const { name } = providerNamed(entry.provider);
  const speaks = builtInProvider(name)?.package ?? '@ai-sdk/openai-compatible';
  // a refusal is read unchanged; events only make sense in their own protocol
  const isSpoken = isRefusal || (speaks === SPOKEN_BY[protocol] && !isForeign(entry));
  const isLost = lossOf(speaks.replace('@ai-sdk/', 'ai/'), entry.id) !== undefined;
  return isSpoken && !isLost ? [{ entry, protocol }] : [];
});

/** Plays the entry to every request from now on. */
export function playOn(upstream: Upstream, { entry, protocol }: Playable): void {
  const api = protocol === 'bedrock' ? 'ConverseStream' : entry.api;
  const script = scriptOf({ ...entry, api }, protocol);
  upstream.answer((response) => {
    const { socket } = response;
    if (socket !== null) script(response, socket);
  });
}
