/**
 * Reads the address of a request: the provider, the API, the model, and whether the call creates
 * something that must not be created twice.
 */
import { providerAt } from '../known-providers.ts';
import type { Extracted } from './extractor.ts';

interface KnownPath {
  readonly path: RegExp;
  readonly api: string;
  readonly submits?: true;
}

const KNOWN_PATHS: readonly KnownPath[] = [
  { path: /\/chat\/completions$/, api: 'chat.completions' },
  { path: /\/responses$/, api: 'responses' },
  { path: /\/messages$/, api: 'messages' },
  { path: /\/completions$/, api: 'completions' },
  { path: /\/embeddings$/, api: 'embeddings' },
  { path: /:generateContent$/, api: 'generateContent' },
  { path: /:streamGenerateContent$/, api: 'streamGenerateContent' },
  { path: /\/converse$/, api: 'Converse' },
  { path: /\/converse-stream$/, api: 'ConverseStream' },
  { path: /\/invoke$/, api: 'InvokeModel' },
  { path: /\/invoke-with-response-stream$/, api: 'InvokeModelWithResponseStream' },
  { path: /\/images\/(?:generations|edits|variations)$/, api: 'images.generations', submits: true },
  { path: /\/videos?(?:\/generations)?$/, api: 'video.generations', submits: true },
  { path: /\/(?:messages\/)?batches$/, api: 'batches', submits: true },
  { path: /\/predictions$/, api: 'predictions', submits: true },
  { path: /:predictLongRunning$/, api: 'predictLongRunning', submits: true },
];

const MODEL_IN_PATH = /\/models?\/([^/:?#]{1,200})(?::|\/|$)/;

const MAX_ADDRESS_CHARS = 2048;

export function readAddress(address: string | undefined): Extracted {
  if (address === undefined) return {};
  const url = address.slice(0, MAX_ADDRESS_CHARS);
  const path = url.split(/[?#]/, 1)[0] ?? '';
  const known = KNOWN_PATHS.find((candidate) => candidate.path.test(path));
  const isQueue = /^https?:\/\/queue\.fal\.run\//.test(url);
  return {
    provider: providerAt(url)?.name,
    model: decoded(MODEL_IN_PATH.exec(path)?.[1]),
    api: isQueue ? 'queue.submit' : known?.api,
    operation: isQueue || known?.submits === true ? 'submit' : undefined,
  };
}

function decoded(segment: string | undefined): string | undefined {
  if (segment === undefined) return undefined;
  try {
    return decodeURIComponent(segment);
  } catch {
    // a stray percent sign belongs to the name
    return segment;
  }
}
