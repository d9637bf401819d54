/** Evaluates the transforms of a rehearsal as a run does: in the sandbox, each code with each input once. */
import type { EffectResult } from '../../effects/effect-port.ts';
import { createSandbox, type Sandbox } from '../../effects/sandbox/sandbox.ts';
import { createTransformEffect } from '../../effects/transform-effect.ts';
import type { EffectRequest } from '../../machine/decide/effect-request.ts';
import { hashValue } from '../../workflow/plan/stable-hash.ts';
import type { Evaluate } from '../world/fate.ts';

export class Transforms {
  #sandbox: Sandbox | undefined;
  readonly #known = new Map<string, Promise<EffectResult>>();

  evaluate({ work, outputSchema }: EffectRequest): Evaluate {
    return (context) => {
      if (work.type !== 'transform') throw new TypeError('Only a transform is evaluated');
      this.#sandbox ??= createSandbox();
      const { code, input } = work;
      const key = hashValue([code, input, outputSchema ?? null]);
      const effect = createTransformEffect(this.#sandbox);
      const fresh = { ...context, signal: new AbortController().signal };
      const result = this.#known.get(key) ?? effect({ code, input, outputSchema }, fresh);
      this.#known.set(key, result);
      return result;
    };
  }

  async close(): Promise<void> {
    await this.#sandbox?.close();
  }
}
