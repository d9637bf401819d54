/** Contested entries of the corpus that we classify differently, with the reason. */
export const CONTESTED: Readonly<Record<string, string>> = {
  'openai-realtime-failed-server-error':
    'it says mid-stream and does not say that nothing was delivered, so a repeat may repeat words',
  'anthropic-batch-expired':
    'a batch item is a submit; the batch says that it never ran, this record does not',
  'bedrock-stream-throttling-pascal': 'only its spelling differs from its twin, which is ambiguous',
  'fluxrouter-402-credit-unresolved':
    'the status says that payment is required; one router’s word for a pending charge is no family',
  'fal-500-still-in-progress':
    'a 500 is the server’s own failure until its vocabulary is registered',
  'node-enotfound-wrong-host':
    'a name that does not resolve looks the same in an outage of DNS, and waiting is harmless',
  'bun-socket-closed': 'nothing says that a response had begun, so it is a lost connection',
  'lmstudio-bun-socket-closed-context':
    'nothing says that a response had begun, so it is a lost connection',
};
