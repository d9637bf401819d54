/**
 * A complete reply to a request for a stream: the host ignores `stream: true`. It would do so
 * again, and each reply is paid for, so the call is not repeated. The host's count is on the bill.
 */
import { isInstance } from '../../../errors/support/safe-json.ts';
import { causeChain } from '../../../errors/thrown/cause-chain.ts';
import { providerNamed } from '../../../providers/known-providers.ts';
import type { ModelRef } from '../../../providers/own-findings.ts';
import { OwnFailure } from '../../thrown-failure.ts';

export class WholeAnswer extends OwnFailure {
  /** Not a field, so that printing the error does not show the model's text. */
  readonly #body: unknown;

  constructor(body: unknown, { provider, model }: ModelRef, status: number) {
    const { name, display } = providerNamed(provider);
    super({
      kind: 'provider.unsupported',
      title: 'Streaming not supported',
      message: `${display} sent one whole document where a stream was requested (HTTP ${status}).`,
      provider: { name, model, status },
      action: {
        kind: 'fix_setup',
        detail:
          'Set the base URL (`runtime.provider.base_url`, or the variable of the provider) to an address that streams, or let the server or the proxy in between stream.',
      },
    });
    this.#body = body;
  }

  /** With the usage, where the host counts. */
  get body(): unknown {
    return this.#body;
  }

  /** At most as much as the model wrote, in characters. */
  get written(): number {
    return JSON.stringify(this.#body).length;
  }
}

/** The SDK may wrap what the response throws. */
export function wholeAnswerIn(thrown: unknown): WholeAnswer | undefined {
  for (const link of causeChain(thrown)) if (isInstance(link, WholeAnswer)) return link;
  return undefined;
}
