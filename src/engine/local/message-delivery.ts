/**
 * Delivers a message to the process that owns the run, and waits until it is acknowledged. The owner
 * polls its messages, and its leg may end before it has read this one.
 */
import type { EffectClock } from '../../effects/clock.ts';
import { isKind } from '../../errors/thrown/errand-error.ts';
import type { RunStore } from '../../machine/ports/store-port.ts';
import type { RunHandle } from '../backend.ts';
import type { Claims } from './run-claims.ts';
import { pollProcess } from './poll-process.ts';
import type { RunMessage } from './run-messages.ts';

/** A command for a run, carried out by the process that owns it. */
export interface RunCommand {
  /** Carries it out here. `sent`: number of the message that another process did not read. */
  readonly runHere: (sent: number | undefined) => Promise<RunHandle | undefined>;
  readonly compose: () => OutgoingMessage | Promise<OutgoingMessage>;
}

interface OutgoingMessage {
  readonly message: RunMessage;
  /** Gets the number of the message. Throws when the run has read it and refused it. */
  readonly onAcknowledged?: (number: number) => Promise<void>;
}

interface SentMessage extends Pick<OutgoingMessage, 'onAcknowledged'> {
  readonly number: number;
}

type Delivery = 'acknowledged' | 'leg ended' | 'unread';

export class MessageDelivery {
  readonly #store: RunStore;
  readonly #clock: EffectClock;
  readonly #claims: Claims;

  constructor(store: RunStore, clock: EffectClock, claims: Claims) {
    this.#store = store;
    this.#clock = clock;
    this.#claims = claims;
  }

  /**
   * Sends the message once to the process that owns the run, and returns undefined. Runs the command
   * here when no process owns the run, or when the owner's leg ends before it has read the message.
   */
  async deliverOrRun(
    run: string,
    { runHere, compose }: RunCommand,
  ): Promise<RunHandle | undefined> {
    let sent: SentMessage | undefined;
    for (;;) {
      if (await this.#claims.isRunning(run)) {
        sent ??= await this.#send(run, await compose());
        const delivery = await this.#awaitAcknowledgement(run, sent.number);
        if (delivery === 'acknowledged') await sent.onAcknowledged?.(sent.number);
        if (delivery !== 'leg ended') return undefined;
        continue;
      }
      try {
        return await runHere(sent?.number);
      } catch (refusal) {
        if (sent !== undefined && (await this.#wasTaken(run, sent))) return undefined;
        const isClaimed = isKind(refusal, 'run.already_active');
        if (!isClaimed || !(await this.#claims.isRunning(run))) throw refusal;
      }
    }
  }

  /**
   * Whether another process took the run over, found the message and acted on it: then the refusal
   * here is of the same command, repeated.
   */
  async #wasTaken(run: string, { number, onAcknowledged }: SentMessage): Promise<boolean> {
    const unread = await this.#store.messages(run);
    if (onAcknowledged === undefined || unread.some((message) => message.number === number))
      return false;
    try {
      await onAcknowledged(number);
      return true;
    } catch (refusal) {
      if (isKind(refusal, 'gate.closed')) return false;
      throw refusal;
    }
  }

  async #send(run: string, { message, ...outgoing }: OutgoingMessage): Promise<SentMessage> {
    return { ...outgoing, number: await this.#store.send(run, message) };
  }

  async #awaitAcknowledgement(run: string, number: number): Promise<Delivery> {
    const delivery = await pollProcess<Delivery>(this.#clock, async () => {
      // in this order: an ended leg reads nothing more, so the messages that it read are gone by
      // now
      const isRunning = await this.#claims.isRunning(run);
      const unread = await this.#store.messages(run);
      if (!unread.some((message) => message.number === number)) return 'acknowledged';
      return isRunning ? undefined : 'leg ended';
    });
    return delivery ?? 'unread';
  }
}
