/** `fetch` and Node's own clients: there was no response, or it broke off. */
import type { Extractor } from './extractor.ts';
import { phaseOfFault, transportFault, findingOfFault } from './transport.ts';

export const fetchErrors: Extractor = {
  source: 'fetch',
  extract(link) {
    const transport = transportFault(link);
    if (transport === undefined) return undefined;
    return {
      transport,
      finding: findingOfFault(transport),
      phase: phaseOfFault(transport),
      message: transport.message,
    };
  },
};
