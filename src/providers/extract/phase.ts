/** How far a request had got, from what is known about its end. */
import type { Phase, Verdict } from '../envelope.ts';
import type { Extracted } from './extractor.ts';
import { isJsonFault, phaseOfFault } from './transport.ts';

const PHASE_OF_VERDICT: Readonly<Record<Verdict, Phase>> = {
  api_key_missing: 'before_send',
  model_unknown: 'before_send',
  unsupported_feature: 'before_send',
  invalid_prompt: 'before_send',
  invalid_tool_arguments: 'headers',
  no_such_tool: 'headers',
  no_output: 'headers',
  stream_empty: 'headers',
  output_unparsable: 'headers',
  aborted: 'sent',
  timed_out: 'sent',
  connection_closed: 'sent',
  mcp_tool_error: 'headers',
  mcp_method_not_found: 'headers',
  mcp_invalid_params: 'headers',
  mcp_internal: 'headers',
};

export function phaseOf(found: Extracted, delivered: boolean | undefined): Phase {
  const phase = found.phase ?? guessPhase(found);
  // who has a part of the answer was past the headers
  return delivered === true && phase === 'sent' ? 'streaming' : phase;
}

function guessPhase({ status, transport, verdict }: Extracted): Phase {
  if (status !== undefined) {
    // a whole answer that is no JSON did not break off
    const broke = status < 400 && transport !== undefined && !isJsonFault(transport);
    return broke ? 'streaming' : 'headers';
  }
  if (transport !== undefined) return phaseOfFault(transport);
  return verdict === undefined ? 'sent' : PHASE_OF_VERDICT[verdict];
}
