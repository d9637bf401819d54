/** The phase of a request: how far it got, inferred from its end. */
import type { Phase, Finding } from '../provider-failure.ts';
import type { Extracted } from './extractor.ts';
import { isJsonFault, phaseOfFault } from './transport.ts';

const PHASE_OF_FINDING: Readonly<Record<Finding, Phase>> = {
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
  // a delivered part means that the headers had arrived
  const isAfterwards = phase === 'sent' || phase === 'headers';
  return delivered === true && isAfterwards ? 'streaming' : phase;
}

function guessPhase({ status, transport, finding }: Extracted): Phase {
  if (status !== undefined) {
    // a complete response that is not JSON did not break off
    const broke = status < 400 && transport !== undefined && !isJsonFault(transport);
    return broke ? 'streaming' : 'headers';
  }
  if (transport !== undefined) return phaseOfFault(transport);
  return finding === undefined ? 'sent' : PHASE_OF_FINDING[finding];
}
