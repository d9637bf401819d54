/** The pairs of an entry and an SDK, and how each entry is played. */
import { ENTRIES } from '../corpus/entries.ts';
import { EXTRA_ENTRIES } from './extra-entries.ts';
import { beginningOf, failing, streamHeaders } from './faults.ts';
import { scriptOf } from './play-entry.ts';
import { PLAYERS, type Player, type Seen } from './players.ts';
import { isForeign, protocolOf, type Played, type Protocol } from './protocol.ts';
import type { Loopback } from './server.ts';

export interface Case {
  readonly title: string;
  readonly player: Player;
  readonly entry: Played;
  readonly ask: (server: Loopback) => Promise<Seen>;
}

/** Whether the server can send it: an answer, events, frames. The rest happens below HTTP. */
function isAnswer(entry: Played): boolean {
  return entry.transport === null || /^node-json|truncated-frame$/.test(entry.id);
}

export const CASES: readonly Case[] = [...ENTRIES, ...EXTRA_ENTRIES].flatMap((entry) => {
  const protocol = protocolOf(entry);
  if (protocol === undefined) return [];
  if (!isAnswer(entry)) return PLAYERS.flatMap((player) => faultCases(player, entry));
  return PLAYERS.filter((player) => player.speaks.includes(protocol))
    .filter((player) => player.takesAnyAnswer === true || !isForeign(entry))
    .flatMap((player) => answerCases(player, entry, protocol));
});

function answerCases(player: Player, entry: Played, protocol: Protocol): readonly Case[] {
  return modesOf(player, entry).map((isStream) => ({
    title: `${entry.id}${isStream && entry.stream === false ? ' (to a stream)' : ''}`,
    player,
    entry,
    ask: (server) => {
      const played = { ...entry, api: player.api ?? entry.api };
      const baseUrl = server.play(scriptOf(played, protocol));
      return player.ask({ baseUrl, protocol, api: entry.api, isStream });
    },
  }));
}

/** The AI SDK reports a refused stream in another way than a refused call. */
function modesOf(player: Player, entry: Played): readonly boolean[] {
  if (entry.stream !== false) return [true];
  return player.name.startsWith('ai/') && (entry.status ?? 0) >= 400 ? [false, true] : [false];
}

function faultCases(player: Player, entry: Played): readonly Case[] {
  const { transport } = entry;
  if (transport === null) return [];
  const isStream = entry.stream !== false;
  return player.speaks.map((protocol) => ({
    title: `${entry.id} (${protocol})`,
    player,
    entry,
    ask: (server) => {
      if (transport.name === 'AbortError') return aborted(server, player, protocol, isStream);
      const baseUrl = 'http://127.0.0.1:9';
      const fault = failing(entry, transport, protocol);
      return player.ask({ baseUrl, protocol, api: 'Converse', isStream, ...fault });
    },
  }));
}

/** A caller who stops while the server is silent, before the headers or in the middle of a stream. */
function aborted(
  server: Loopback,
  player: Player,
  protocol: Protocol,
  isStream: boolean,
): Promise<Seen> {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  const baseUrl = server.play((response) => {
    if (!isStream) abort();
    else response.writeHead(200, streamHeaders(protocol)).write(beginningOf(protocol));
  });
  const { signal } = controller;
  const call = { baseUrl, protocol, api: 'Converse', isStream, signal, onContent: abort };
  return player.ask(call);
}
