/** The options of an application's server, checked before anything opens: for programs without types. */
import { SHARED_OPTIONS } from '../engine/errand-options.ts';
import { checkedObject, isNumber, refusals, type Refuse } from '../option-checks.ts';
import type { ErrandServerOptions } from './server-options.ts';

/** A table, so that none can be forgotten. */
const OPTIONS: Readonly<Record<keyof ErrandServerOptions, true>> = {
  ...SHARED_OPTIONS,
  files: true,
  basePath: true,
  authorize: true,
  allowHost: true,
  allowOrigin: true,
  allowEdit: true,
  readOnly: true,
  maxRuns: true,
  webhook: true,
  publicUrl: true,
  carryOn: true,
  host: true,
  onLog: true,
};

const LISTS = ['files', 'allowHost', 'allowOrigin', 'webhook'] as const;
const SWITCHES = ['allowEdit', 'readOnly', 'carryOn'] as const;
const CALLED = ['authorize', 'onLog'] as const;

/** Throws `validation.input`. A slip in access rules must not wait for the first request. */
export function checkServerOptions(options: unknown): void {
  const refuse = refusals('createErrandServer', 'Correct it, or leave it out.');
  const given = checkedObject(refuse, options, Object.keys(OPTIONS));
  for (const option of LISTS) checkList(refuse, option, given[option]);
  for (const option of SWITCHES)
    if (given[option] !== undefined && typeof given[option] !== 'boolean')
      throw refuse(option, 'is neither true nor false');
  for (const option of CALLED)
    if (given[option] !== undefined && typeof given[option] !== 'function')
      throw refuse(option, 'is not a function');
  const { maxRuns } = given;
  if (maxRuns !== undefined && !isCount(maxRuns))
    throw refuse('maxRuns', 'is not a whole number of at least 1');
}

function checkList(refuse: Refuse, option: string, value: unknown): void {
  const isList = Array.isArray(value) && value.every((item) => typeof item === 'string');
  if (value !== undefined && !isList) throw refuse(option, 'is not a list of texts');
}

function isCount(value: unknown): boolean {
  return isNumber(value, 1, Number.MAX_SAFE_INTEGER) && Number.isInteger(value);
}
