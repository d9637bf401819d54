/** A model effect over the real AI SDK from `test/sdks`, called as the machine would call it. */
import { fileURLToPath } from 'node:url';
import { contextFor } from '../../src/effects/effect-port.cases.ts';
import type { EffectContext, EffectResult } from '../../src/effects/effect-port.ts';
import type { EffectClock } from '../../src/effects/clock.ts';
import { createModelEffect } from '../../src/effects/model/model-effect.ts';
import type { ModelEffectOptions } from '../../src/effects/model/model-host.ts';
import type { ModelRequest } from '../../src/effects/model/model-effect-request.ts';
import type { ModelCall } from '../../src/machine/conversation/model-message.ts';
import { requireSdks } from '../sdk-parity/install.ts';
import type { Protocol } from './protocols.ts';

export const SDKS = fileURLToPath(new URL('../sdks', import.meta.url));

export const KEY = 'a-key-that-nobody-may-see';

export const HELLO: Omit<ModelCall, 'model'> = {
  messages: [{ role: 'user', text: 'Say hello.' }],
  tools: [],
  ordinal: 0,
};

export interface Asking {
  readonly call?: Partial<ModelCall>;
  readonly context?: Partial<EffectContext>;
  readonly request?: Partial<ModelRequest>;
  readonly options?: Partial<ModelEffectOptions>;
}

export function ask(
  protocol: Protocol,
  url: string,
  { call = {}, context = {}, request = {}, options = {} }: Asking = {},
): Promise<EffectResult> {
  requireSdks();
  const effect = createModelEffect({ env: { [protocol.key]: KEY }, ...options });
  const [name = ''] = protocol.model.split('/');
  return effect(
    {
      call: { ...HELLO, model: protocol.model, ...call },
      settings: { name, baseUrl: `${url}${protocol.base}` },
      directory: SDKS,
      ...request,
    },
    contextFor(context),
  );
}

/** A clock whose time passes when the test says so. */
export class ManualClock implements EffectClock {
  #nowMs = Date.parse('2026-11-16T00:00:00Z');
  readonly #timers = new Set<{ readonly at: number; readonly fire: () => void }>();

  now(): number {
    return this.#nowMs;
  }

  after(ms: number, fire: () => void): () => void {
    const timer = { at: this.#nowMs + ms, fire };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  get pending(): number {
    return this.#timers.size;
  }

  advance(ms: number): void {
    const until = this.#nowMs + ms;
    for (;;) {
      const due = [...this.#timers].filter(({ at }) => at <= until);
      const next = due.toSorted((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#nowMs = next.at;
      next.fire();
    }
    this.#nowMs = until;
  }
}
