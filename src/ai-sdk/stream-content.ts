/** Which parts of a stream are content: once somebody has seen one, no other answer can take its place. */
import type { LanguageModelV4StreamPart as Part } from '@ai-sdk/provider';

/** Not `custom`: Anthropic's package announces each message with one, before any of it has come. */
const WHOLE_CONTENT: ReadonlySet<Part['type']> = new Set<Part['type']>([
  'tool-call',
  'tool-result',
  'tool-approval-request',
  'file',
  'reasoning-file',
  'source',
]);

export function isContent(part: Part): boolean {
  return 'delta' in part ? part.delta !== '' : WHOLE_CONTENT.has(part.type);
}
