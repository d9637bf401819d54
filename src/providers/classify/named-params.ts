/** Finds the parameters that a message names, for servers that have no field for it. */

import { onceForEach } from '../../errors/support/recent-texts.ts';

/** `stop` supports up to 4 sequences. */
const QUOTED = /[`'"]([a-z][\w.]{0,40})[`'"][ :]/y;
/** `tools.0.custom.input_schema: …`, `metadata.label is …`: a word alone could be any word. */
const PATH = /([a-z][\w.[\]]{0,200})(?: ?:| (?:is too|must|should|exceeds)\b)/y;
const JOINT = /[_.[]/;
/** `openai.BadRequestError: …` and `invalid_request_error: …` name a fault. */
const FAULT = /(?:Error|Exception|_error)$/;
/** Servers name a tool by its place in the list or a part of every tool, anywhere in the message. */
const TOOL_PATH =
  /\b((?:tools|functions|function_declarations)(?:\.\d{1,3}|\[\d{0,3}\]|\.(?:function|parameters|input_schema)\b)[\w.[\]]{0,120})/;

/** `messages: Field required`, `messages.0.content.1.type: Field required`, anywhere in the message. */
const REQUIRED = /(?<![\w.[\]])([a-z][\w.[\]]{0,160}): (?:this )?field (?:is )?required\b/i;

/** `missing field(s): id or input`, anywhere in the message. */
const MISSING =
  /\bmissing (?:required )?(?:field|param|parameter)(?:s|\(s\))?: ?[`'"]?([a-z]\w{0,40})|\bmissing json field ([a-z]\w{0,40})/i;

/** The part that misses it stands before: `Input[4] missing required field`, `messages.2 is missing a field`. */
const INCOMPLETE =
  /(?<![\w.[\]])([a-z]\w{0,40}(?:\[\d{1,4}\]|\.\d{1,4}\b)[\w.[\]]{0,120})(?: is)? missing\b/i;

/** Where the parsers of other languages put the name: `Go struct field ChatRequest.stream of type bool`. */
const OF_PARSER =
  /\bGo struct field \w{0,60}\.([a-z][\w.]{0,120}) of type\b|\b([a-z]\w{0,60}): invalid type: |\(field ([a-z]\w{0,60})\)|\bPath: \$\.([a-z][\w.[\]]{0,120})/;

/** All of them name a type. */
const PARSED = /\btype\b|could not be converted/;

/** A JSON pointer of a validator (`#/temperature: …`), a path in the message of Google's protocol (`* FooRequest.config.top_k: …`). */
const POINTED =
  /#\/([a-z]\w{0,60}(?:\/\w{1,60}){0,8}): |\* [A-Z]\w{2,60}Request\.([a-z][\w.[\]]{0,160}): /i;

const MAX_CHARS = 2048;
/** `Input validation error: ` and the like. */
const MAX_LEAD_CHARS = 44;
const INVALID = 'Invalid ';
const STATUS = /^[45]\d\d /;

/** `Invalid tool_choice type`, `Unknown sort_order`: what has a line in it is a name. */
const AFTER_VERDICT =
  /^(?:[a-z ]{0,24}: ?)?(?:invalid|missing|unknown|illegal|incorrect) (?:value (?:for|of) |param(?:eter)? |field |argument )?[`'"]?([a-z]+(?:_[a-z]+)+)\b/i;

/** The parameters that a message names. */
export const paramsIn = onceForEach(512, (message): readonly string[] => {
  const params: string[] = [];
  const first =
    firstIn(message) ?? (message.includes('_') ? AFTER_VERDICT.exec(message)?.[1] : undefined);
  if (first !== undefined) params.push(first);
  else if (message.includes('#/') || message.includes('* ')) addPointed(message, params);
  if (first === undefined && /required|missing/i.test(message)) {
    const head = message.slice(0, MAX_CHARS);
    const required =
      INCOMPLETE.exec(head)?.[1] ?? REQUIRED.exec(head)?.[1] ?? namedIn(MISSING.exec(head));
    if (required !== undefined) params.push(required);
  }
  if (PARSED.test(message)) {
    const found = OF_PARSER.exec(message.slice(0, MAX_CHARS));
    const parsed = found?.slice(1).find((name) => name !== undefined);
    if (parsed !== undefined) params.push(parsed);
  }
  if (first === undefined && /onfig\./i.test(message)) {
    const path = OF_CONFIG.exec(message.slice(0, MAX_CHARS))?.[1];
    if (path !== undefined) params.push(path);
  }
  const mayNameTool = message.includes('tools') || message.includes('function');
  const tool = mayNameTool ? TOOL_PATH.exec(message.slice(0, MAX_CHARS))?.[1] : undefined;
  if (tool !== undefined) params.push(tool);
  return params;
});

function namedIn(found: RegExpExecArray | null): string | undefined {
  return found?.slice(1).find((name) => name !== undefined);
}

/** A path of the set-up is one wherever it stands: `inferenceConfig.stopSequences`. */
const OF_CONFIG = /\b((?:generation|inference)_?config\.[a-z]\w{0,60})/i;

function addPointed(message: string, params: string[]): void {
  const [, pointer, path] = POINTED.exec(message.slice(0, MAX_CHARS)) ?? [];
  const name = pointer === undefined ? path : `#/${pointer}`;
  if (name !== undefined) params.push(name);
}

/** A code that names the field: `INVALID_PAGE_SIZE`, `missing_slug`, `subject_id_required`. */
const CODED =
  /^(?:e_)?(?:invalid|missing|bad|illegal|unknown)_([a-z]\w{1,40})$|^([a-z]\w{1,40})_(?:is_)?(?:required|missing|invalid|out_of_range)$/;
/** Codes for anything that is wrong. */
const ANY_FIELD =
  /^(?:required|missing|invalid|malformed|unknown)?_?(?:requests?|arguments?|param(?:eter)?s?|inputs?|values?|body|payload|json|data|format|type|fields?|schema|operation|state|syntax|options?|validation|request_(?:body|argument|parameter|payload|format|input)|param(?:eter)?_\w+|field_\w+|url|response|configuration|config)(?:_(?:value|error|name|format|type))?$/;

/** Codes are few and recur, so each is read once. */
const CODED_PARAMS = new Map<string, string | undefined>();
const MAX_REMEMBERED = 4096;

export function addCodedParam(code: string, params: string[]): void {
  let name = CODED_PARAMS.get(code);
  if (name === undefined && !CODED_PARAMS.has(code)) {
    const found = CODED.exec(code);
    const field = found?.[1] ?? found?.[2];
    name = field === undefined || ANY_FIELD.test(field) ? undefined : field;
    if (CODED_PARAMS.size < MAX_REMEMBERED) CODED_PARAMS.set(code, name);
  }
  if (name !== undefined) params.push(name);
}

/** The message begins with the parameter that it is about, after a status or a few words. */
function firstIn(message: string): string | undefined {
  const begin = STATUS.test(message) ? 4 : 0;
  const path = at(PATH, message, begin);
  if (path !== undefined && JOINT.test(path) && !FAULT.test(path)) return path;
  const colon = message.indexOf(': ', begin);
  const lead = colon >= 0 && colon < begin + MAX_LEAD_CHARS ? colon + 2 : begin;
  const name = quotedAt(message, begin) ?? quotedAt(message, lead);
  return name !== undefined && ROLES.has(name) && OF_ROLES.test(message) ? undefined : name;
}

/** Who may speak in a conversation; `user` is also a setting, where no roles are spoken of. */
const ROLES: ReadonlySet<string> = new Set(['user', 'assistant', 'system', 'developer', 'tool']);
const OF_ROLES = /\broles?\b|\balternat|\bturns?\b/;

function quotedAt(message: string, index: number): string | undefined {
  return at(QUOTED, message, message.startsWith(INVALID, index) ? index + INVALID.length : index);
}

function at(pattern: RegExp, message: string, index: number): string | undefined {
  pattern.lastIndex = index;
  return pattern.exec(message)?.[1];
}
