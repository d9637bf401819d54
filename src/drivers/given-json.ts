/** What a host hands over: its types promise JSON, and its values may be anything. */
import { ErrandError } from '../errors/errand-error.ts';
import type { JsonValue } from '../errors/json.ts';
import { AS_IT_IS, toOutput } from '../effects/output.ts';

/** As it is stored, which is also what runs. Throws `validation.input` for what JSON does not have. */
export function givenJson<T extends JsonValue>(value: T, what: string): T {
  const given = toOutput(value, AS_IT_IS);
  // an object stays one, and so does every other form
  if (given.ok) return given.value as T;
  const where = given.pointer === '' ? 'it' : given.pointer;
  throw new ErrandError({
    kind: 'validation.input',
    message: `${what} is not JSON: ${where} ${given.problem}`,
    details: { pointer: given.pointer },
    action: { kind: 'change_input', detail: 'Give plain JSON; a date or a number as text.' },
  });
}
