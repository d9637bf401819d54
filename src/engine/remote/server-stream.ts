/** Reads server-sent events from a response. */
import { readJson } from '../../workflow/json-schema/exact-number.ts';
import type { JsonValue } from '../../errors/support/safe-json.ts';

export interface StreamFrame {
  /** Only stored events have one. */
  readonly id?: number;
  /** `ping` for a comment, `retry` for the first frame of a stream, which has no data. */
  readonly event: string;
  readonly data: JsonValue;
}

const MAX_FRAME_CHARS = 64 * 1024 * 1024;
const END = '\n\n';

/** Ends with the response; throws for a frame that has no end. */
export async function* serverStreamFrames(
  response: Response,
  maxChars = MAX_FRAME_CHARS,
): AsyncGenerator<StreamFrame, void, undefined> {
  if (response.body === null) return;
  let rest = '';
  const texts = response.body.pipeThrough(new TextDecoderStream());
  for await (const text of texts) {
    // its end may be cut in the middle, so the last character is searched again
    const searched = Math.max(0, rest.length - 1);
    rest += text;
    let from = 0;
    for (let at = rest.indexOf(END, searched); at >= 0; at = rest.indexOf(END, from)) {
      yield frameIn(rest.slice(from, at));
      from = at + END.length;
    }
    rest = rest.slice(from);
    if (rest.length > maxChars) throw new Error(`A frame is longer than ${maxChars} characters`);
  }
}

function frameIn(block: string): StreamFrame {
  if (block.startsWith(':')) return { event: 'ping', data: null };
  const fields = new Map(
    block.split('\n').map((line) => {
      const at = line.indexOf(':');
      return [line.slice(0, at), line.slice(at + 1).replace(/^ /, '')] as const;
    }),
  );
  const data = fields.get('data');
  const id = fields.get('id');
  if (data === undefined) return { event: 'retry', data: null };
  return {
    event: fields.get('event') ?? 'message',
    data: readJson(data).value,
    ...(id === undefined ? {} : { id: Number(id) }),
  };
}
