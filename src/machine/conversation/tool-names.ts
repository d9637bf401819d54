/**
 * Names of tools on the wire. Providers accept only letters, digits, `_` and `-`, at most 64, so
 * `acme.x` and `acme/x` would both be `acme__x`: names are made unique, or a call could reach the wrong
 * tool.
 */
import type { ToolDescriptions } from '../../workflow/authoring/tool-description.ts';
import { BUILT_IN_TOOLS } from '../../workflow/plan/built-in-tools.ts';

const MAX_CHARS = 64;
const ACCEPTED = /^[A-Za-z0-9_-]{1,64}$/;

interface Names {
  readonly wire: ReadonlyMap<string, string>;
  readonly tool: ReadonlyMap<string, string>;
}

const KNOWN = new WeakMap<ToolDescriptions, Names>();

/** Wire names, by the name in the file. */
export function wireNames(tools: ToolDescriptions): ReadonlyMap<string, string> {
  return namesOf(tools).wire;
}

/** The tool that a model means; it may also use the name in the file. */
export function toolCalled(tools: ToolDescriptions, name: string): string | undefined {
  return Object.hasOwn(tools, name) ? name : namesOf(tools).tool.get(name);
}

function namesOf(tools: ToolDescriptions): Names {
  const known = KNOWN.get(tools);
  if (known !== undefined) return known;
  const wire = new Map<string, string>();
  const taken = new Map(BUILT_IN_TOOLS.map((name) => [name, name]));
  // sorted, so that the order of servers does not matter; accepted names stay unchanged
  const sorted = Object.keys(tools).sort();
  for (const name of [
    ...sorted.filter(isAccepted),
    ...sorted.filter((each) => !isAccepted(each)),
  ]) {
    const free = freeName(name, taken);
    taken.set(free, name);
    wire.set(name, free);
  }
  const names = { wire, tool: taken };
  KNOWN.set(tools, names);
  return names;
}

function isAccepted(name: string): boolean {
  return ACCEPTED.test(name);
}

function freeName(name: string, taken: ReadonlyMap<string, string>): string {
  const wanted = name.replaceAll(/[^A-Za-z0-9_-]/g, '__').slice(0, MAX_CHARS);
  let found = wanted;
  for (let count = 2; taken.has(found); count++) {
    const mark = `_${count}`;
    found = `${wanted.slice(0, MAX_CHARS - mark.length)}${mark}`;
  }
  return found;
}
