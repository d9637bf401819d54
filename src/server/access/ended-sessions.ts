/**
 * Sessions that were ended early. A note of the store keeps them, so that they stay ended after a
 * restart and at every server on the store.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../errors/support/safe-json.ts';
import type { SharedWork } from '../../machine/ports/shared-work-port.ts';

/** A session, without the key that signs its cookie. */
export interface SessionId {
  readonly nonce: string;
  readonly sinceSeconds: number;
}

export interface EndedSessionsOptions {
  /** Undefined where there is no store to keep notes in. Rejects with `store.*`. */
  readonly notes: () => Promise<Pick<SharedWork, 'notes' | 'setNote'> | undefined>;
  readonly now: () => number;
  /** A session that is older is over by itself. */
  readonly maxAgeSeconds: number;
}

/** A type and no interface, because it is JSON. */
type EndedNote = {
  /** Sessions that began up to then are over. */
  readonly throughSeconds: number;
  /** When each ended session began, by its nonce. */
  readonly sessions: { readonly [nonce: string]: number };
};

const TOPIC = 'sessions';
const KEY = 'ended';
const MAX_SESSIONS = 2000;
/** How long another server may accept a session that was ended here. */
const FRESH_MS = 2000;
const NONE: EndedNote = { throughSeconds: 0, sessions: {} };

export class EndedSessions {
  readonly #options: EndedSessionsOptions;
  #known: EndedNote = NONE;
  #readMs = -Infinity;

  constructor(options: EndedSessionsOptions) {
    this.#options = options;
  }

  async add(session: SessionId): Promise<void> {
    const { now, maxAgeSeconds } = this.#options;
    const notes = await this.#options.notes();
    // ends, because each lost race means that another server has changed the note
    for (;;) {
      const { value = NONE, version = 0 } = (await notes?.notes(TOPIC))?.notes.get(KEY) ?? {};
      const before = notes === undefined ? this.#known : noteFrom(value);
      const ended = withSession(before, session, now() / 1000 - maxAgeSeconds);
      const isStored = await (notes?.setNote(TOPIC, KEY, { value: ended, version }) ?? true);
      if (!isStored) continue;
      this.#known = ended;
      return;
    }
  }

  async has({ nonce, sinceSeconds }: SessionId): Promise<boolean> {
    await this.#refresh();
    const { throughSeconds, sessions } = this.#known;
    return sinceSeconds <= throughSeconds || Object.hasOwn(sessions, nonce);
  }

  async #refresh(): Promise<void> {
    const nowMs = this.#options.now();
    if (Math.abs(nowMs - this.#readMs) < FRESH_MS) return;
    const notes = await this.#options.notes();
    if (notes !== undefined)
      this.#known = noteFrom((await notes.notes(TOPIC)).notes.get(KEY)?.value);
    this.#readMs = nowMs;
  }
}

/** If there are too many, replaces the older half by a time before which all sessions are over. */
function withSession(
  { throughSeconds, sessions }: EndedNote,
  { nonce, sinceSeconds }: SessionId,
  oldestSeconds: number,
): EndedNote {
  const ended = Object.entries({ ...sessions, [nonce]: sinceSeconds })
    .filter(([, since]) => since >= oldestSeconds && since > throughSeconds)
    .toSorted(([, one], [, other]) => one - other);
  const surplus = ended.length > MAX_SESSIONS ? ended.splice(0, MAX_SESSIONS / 2) : [];
  const [, through = throughSeconds] = surplus.at(-1) ?? [];
  return { throughSeconds: through, sessions: Object.fromEntries(ended) };
}

function noteFrom(value: JsonValue | undefined): EndedNote {
  if (!isJsonObject(value)) return NONE;
  const { throughSeconds, sessions } = value;
  return {
    throughSeconds: typeof throughSeconds === 'number' ? throughSeconds : 0,
    sessions: isJsonObject(sessions) ? numbersIn(sessions) : {},
  };
}

function numbersIn(values: JsonObject): Record<string, number> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([key, value]) =>
      typeof value === 'number' ? [[key, value]] : [],
    ),
  );
}
