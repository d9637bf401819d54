/** Checks options before anything is called: a program without types learns of a slip at once. */
import { isPlainObject, keysOf, readProperty } from './errors/support/safe-json.ts';
import { suggest } from './errors/support/suggest.ts';
import { ErrandError } from './errors/thrown/errand-error.ts';

/** Makes the `validation.input` that names an option of one function. */
export type Refuse = (option: string, problem: string, detail?: string) => ErrandError;

/** The longest wait, timeout or deadline that an option may ask for. */
export const MAX_MS = 366 * 86_400_000;

/** `remedy` is for slips without a remedy of their own. */
export function refusals(maker: string, remedy: string): Refuse {
  return (option, problem, detail = remedy) =>
    new ErrandError({
      kind: 'validation.input',
      message: `${maker}: \`${option}\` ${problem}`,
      details: { option },
      action: { kind: 'fix_code', detail },
    });
}

export function checkedObject(
  refuse: Refuse,
  options: unknown,
  known: readonly string[],
): Readonly<Record<string, unknown>> {
  if (!isPlainObject(options))
    throw refuse('options', 'are not an object', `Give it { ${known[0]}, … }.`);
  checkKeys(refuse, options, known);
  return options;
}

/** A key without a value counts as absent. */
export function checkKeys(
  refuse: Refuse,
  value: object,
  known: readonly string[],
  within = '',
): void {
  // a callback for each key would take half of the time of these checks
  for (const key of keysOf(value)) {
    if (known.includes(key) || readProperty(value, key) === undefined) continue;
    const near = suggest(key, known);
    const detail = near === undefined ? `Use one of ${known.join(', ')}.` : `Write \`${near}\`.`;
    throw refuse(`${within}${key}`, 'is not an option', detail);
  }
}

export function checkMethods(
  refuse: Refuse,
  option: string,
  value: unknown,
  methods: readonly string[],
): void {
  for (const method of value === undefined ? [] : methods)
    if (typeof readProperty(value, method) !== 'function')
      throw refuse(
        option,
        `has no \`${method}\``,
        `Give it { ${methods.join(', ')} }, or leave it out.`,
      );
}

export function isNumber(value: unknown, least: number, most: number): value is number {
  return typeof value === 'number' && value >= least && value <= most;
}
