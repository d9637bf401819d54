/** Images of a prompt: URLs or data from a file or an input, checked before anything is sent. */
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { isArray, type JsonValue } from '../../errors/support/safe-json.ts';
import type { AgentPlan } from '../../workflow/plan/node-plan.ts';
import type { TemplateContext } from '../../workflow/template/context.ts';
import { evaluateDeep } from '../decide/evaluate-templates.ts';
import type { ModelImage } from './model-message.ts';

/** More than any provider accepts in one request. */
const MAX_IMAGES = 100;
/** Limit because images are stored in the log with the prompt. */
const MAX_DATA_CHARS = 32 * 1024 * 1024;

const DATA = /^data:(?<mediaType>image\/[\w.+-]+);base64,(?<base64>[A-Za-z0-9+/=\s]+)$/;
const ADDRESS = /^https?:\/\/[^\s]+$/i;

/** Throws `validation.template`, and `validation.input` for values that are not images. */
export function imagesOf(
  { name, images = [] }: AgentPlan,
  names: TemplateContext,
): readonly ModelImage[] {
  const values = images.flatMap((template) => listOf(evaluateDeep(template, names)));
  const read = values.map((value) => imageOf(name, value));
  const chars = read.reduce((sum, { base64 = '' }) => sum + base64.length, 0);
  if (read.length > MAX_IMAGES)
    throw invalidImages(`${name} has ${read.length} images, more than ${MAX_IMAGES}`);
  if (chars > MAX_DATA_CHARS)
    throw invalidImages(`The images of ${name} are too large: ${chars} characters`);
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
  throw invalidImages(`An image of ${node} is neither a URL nor base64 data`);
}

function invalidImages(message: string): ErrandError {
  return new ErrandError({
    kind: 'validation.input',
    message,
    outcome: 'not_started',
    action: {
      kind: 'change_input',
      detail: `Use at most ${MAX_IMAGES} images, each as an https: URL or as data:image/…;base64,…, together within ${MAX_DATA_CHARS / 1024 / 1024} MiB.`,
    },
  });
}
