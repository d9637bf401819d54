/** The pictures of a prompt: addresses as a file or an input gives them, checked before anything is sent. */
import { ErrandError } from '../errors/errand-error.ts';
import { isArray, type JsonValue } from '../errors/json.ts';
import type { AgentPlan } from '../workflow/node-model.ts';
import type { Scope as TemplateScope } from '../workflow/template/scope.ts';
import { evaluateDeep } from './evaluate.ts';
import type { ModelImage } from './model-call.ts';

/** More than any provider takes in one request. */
const MAX_IMAGES = 100;
/** They are kept in the log, with what else was asked. */
const MAX_DATA_CHARS = 32 * 1024 * 1024;

const DATA = /^data:(?<mediaType>image\/[\w.+-]+);base64,(?<base64>[A-Za-z0-9+/=\s]+)$/;
const ADDRESS = /^https?:\/\/[^\s]+$/i;

/** Throws `validation.template`, and `validation.input` for what is no picture. */
export function imagesOf(
  { name, images = [] }: AgentPlan,
  names: TemplateScope,
): readonly ModelImage[] {
  const given = images.flatMap((template) => listOf(evaluateDeep(template, names)));
  const read = given.map((value) => imageOf(name, value));
  const chars = read.reduce((sum, { base64 = '' }) => sum + base64.length, 0);
  if (read.length > MAX_IMAGES) throw refused(`${name} is given ${read.length} images`);
  if (chars > MAX_DATA_CHARS) throw refused(`The images of ${name} have ${chars} characters`);
  return read;
}

function listOf(value: JsonValue): readonly JsonValue[] {
  return isArray(value) ? value : [value];
}

function imageOf(node: string, value: JsonValue): ModelImage {
  const text = typeof value === 'string' ? value.trim() : '';
  const { mediaType, base64 } = DATA.exec(text)?.groups ?? {};
  if (mediaType !== undefined && base64 !== undefined) return { base64, mediaType };
  if (ADDRESS.test(text)) return { url: text };
  throw refused(`An image of ${node} is no address`);
}

function refused(message: string): ErrandError {
  return new ErrandError({
    kind: 'validation.input',
    message,
    outcome: 'not_started',
    action: {
      kind: 'change_input',
      detail: `Give at most ${MAX_IMAGES} images, each as an https: address or as data:image/…;base64,…, together within ${MAX_DATA_CHARS / 1024 / 1024} MiB.`,
    },
  });
}
