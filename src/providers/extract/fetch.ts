/** `fetch` and Node's own clients: nothing was answered, or the answer broke off. */
import type { Extractor } from './extractor.ts';
import { phaseOfFault, transportFault, verdictOfFault } from './transport.ts';

export const fetchErrors: Extractor = {
  source: 'fetch',
  extract(link) {
    const transport = transportFault(link);
    if (transport === undefined) return undefined;
    return {
      transport,
      verdict: verdictOfFault(transport),
      phase: phaseOfFault(transport),
      message: transport.message,
    };
  },
};
