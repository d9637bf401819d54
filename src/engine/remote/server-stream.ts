/** Reads server-sent events from a response. */
import { readJson } from '../../workflow/json-schema/exact-number.ts';
import type { JsonValue } from '../../errors/support/safe-json.ts';

export interface StreamFrame {
  /** Only stored events have one. */
  readonly id?: number;
  /** `ping` for a comment. */
  readonly event: string;
  readonly data: JsonValue;
}

/** Ends with the response. */
export async function* serverStreamFrames(
  response: Response,
): AsyncGenerator<StreamFrame, void, undefined> {
  if (response.body === null) return;
  let rest = '';
  const texts = response.body.pipeThrough(new TextDecoderStream());
  for await (const text of texts) {
    rest += text;
    const blocks = rest.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const frame = frameIn(block);
      if (frame !== undefined) yield frame;
    }
  }
}

function frameIn(block: string): StreamFrame | undefined {
  if (block.startsWith(':')) return { event: 'ping', data: null };
  const fields = new Map(
    block.split('\n').map((line) => {
      const at = line.indexOf(':');
      return [line.slice(0, at), line.slice(at + 1).replace(/^ /, '')] as const;
    }),
  );
  const data = fields.get('data');
  const id = fields.get('id');
  if (data === undefined) return undefined;
  return {
    event: fields.get('event') ?? 'message',
    data: readJson(data).value,
    ...(id === undefined ? {} : { id: Number(id) }),
  };
}
