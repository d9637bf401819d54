/** Finds the parameters that a message names, for servers that have no field for it. */

/** `stop` supports up to 4 sequences. */
const QUOTED = /[`'"]([a-z][\w.]{0,40})[`'"][ :]/y;
/** `tools.0.custom.input_schema: …`, `metadata.label is …`: a word alone could be any word. */
const PATH = /([a-z][\w.[\]]{0,200})(?: ?:| (?:is too|must|should|exceeds)\b)/y;
const JOINT = /[_.[]/;
/** `openai.BadRequestError: …` names a fault. */
const FAULT = /(?:Error|Exception)$/;
/** Servers name a tool by its place in the list or a part of every tool, anywhere in the message. */
const TOOL_PATH =
  /\b((?:tools|functions|function_declarations)(?:\.\d{1,3}|\[\d{0,3}\]|\.(?:function|parameters|input_schema)\b)[\w.[\]]{0,120})/;

/** `messages: Field required`, anywhere in the message. */
const REQUIRED = /\b([a-z]\w{0,40}): (?:this )?field (?:is )?required\b/i;

/** `missing field(s): id or input`, anywhere in the message. */
const MISSING =
  /\bmissing (?:required )?(?:field|param|parameter)(?:s|\(s\))?: ?[`'"]?([a-z]\w{0,40})/i;

const MAX_CHARS = 2048;
/** `Input validation error: ` and the like. */
const MAX_LEAD_CHARS = 44;
const INVALID = 'Invalid ';
const STATUS = /^[45]\d\d /;

export function addParams(message: string, params: string[]): void {
  const first = firstIn(message);
  if (first !== undefined) params.push(first);
  if (first === undefined && /required|missing/i.test(message)) {
    const head = message.slice(0, MAX_CHARS);
    const required = REQUIRED.exec(head)?.[1] ?? MISSING.exec(head)?.[1];
    if (required !== undefined) params.push(required);
  }
  if (!message.includes('tools') && !message.includes('function')) return;
  const tool = TOOL_PATH.exec(message.slice(0, MAX_CHARS))?.[1];
  if (tool !== undefined) params.push(tool);
}

/** The message begins with the parameter that it is about, after a status or a few words. */
function firstIn(message: string): string | undefined {
  const begin = STATUS.test(message) ? 4 : 0;
  const path = at(PATH, message, begin);
  if (path !== undefined && JOINT.test(path) && !FAULT.test(path)) return path;
  const colon = message.indexOf(': ', begin);
  const lead = colon >= 0 && colon < begin + MAX_LEAD_CHARS ? colon + 2 : begin;
  return quotedAt(message, begin) ?? quotedAt(message, lead);
}

function quotedAt(message: string, index: number): string | undefined {
  return at(QUOTED, message, message.startsWith(INVALID, index) ? index + INVALID.length : index);
}

function at(pattern: RegExp, message: string, index: number): string | undefined {
  pattern.lastIndex = index;
  return pattern.exec(message)?.[1];
}
