/**
 * Failures of a tool server, as the real effect reports them: see the table of
 * `effects/mcp/mcp-call-failure.ts`. A server that was killed is away for a while, or for good, and every
 * call to it fails meanwhile.
 */
import type { JsonValue } from '../../errors/support/safe-json.ts';
import type { ReportDraft } from '../../errors/report/report.ts';
import type { EffectRequest } from '../../machine/decide/effect-request.ts';
import type { Random } from './random.ts';

export type ServerFate =
  | { readonly type: 'fails'; readonly failure: ReportDraft; readonly part?: JsonValue }
  | { readonly type: 'hangs' };

export interface ServerTrouble {
  readonly fate: ServerFate;
  /** How long it is away from now on; 0: it is back at once. */
  readonly awayMs?: number;
}

/** At once, in the time of a retry, after people have gone home, or never. */
const AWAY_MS = [0, 0, 3000, 20_000, 3_600_000, Infinity];

export function drawServerTrouble(request: EffectRequest, random: Random): ServerTrouble {
  const { ref, isIdempotent } = request;
  const fails = (failure: ReportDraft, part?: JsonValue): ServerTrouble => ({
    fate: { type: 'fails', failure, ...(part === undefined ? {} : { part }) },
  });
  switch (random.int(10)) {
    case 0:
    case 1:
      return {
        fate: {
          type: 'fails',
          failure: {
            kind: 'mcp.unreachable',
            message: `The connection was lost after ${ref.target} was called`,
            outcome: isIdempotent ? 'partial' : 'unknown',
          },
        },
        awayMs: random.pick(AWAY_MS),
      };
    case 2:
      return { fate: away(request), awayMs: random.pick(AWAY_MS) };
    case 3:
      return { fate: { type: 'hangs' } };
    case 4:
      return fails({
        kind: 'tool.output_malformed',
        message: `The server's answer to ${ref.target} is not a result`,
      });
    case 5:
      return fails({
        kind: 'tool.not_found',
        message: `The server has no tool for ${ref.target}`,
        outcome: 'not_started',
      });
    case 6:
      return fails({ kind: 'tool.busy', message: 'The server answered with HTTP 429' });
    default:
      return fails(
        {
          kind: 'mcp.tool_failed',
          message: `${ref.target}: not all of it`,
          retryable: null,
          outcome: 'partial',
        },
        { found: [1] },
      );
  }
}

/** The fate of a call to a server that is away. */
export function away({ ref }: EffectRequest): ServerFate {
  return {
    type: 'fails',
    failure: {
      kind: 'mcp.unreachable',
      message: `There is no connection to the server of ${ref.target}`,
      outcome: 'not_started',
    },
  };
}
