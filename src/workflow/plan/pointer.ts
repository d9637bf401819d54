/** The location of a value in a workflow's document: as a path, and as a JSON Pointer (RFC 6901). */
export type Path = readonly (string | number)[];

export function toPointer(path: Path): string {
  let pointer = '';
  for (const step of path) pointer += `/${typeof step === 'number' ? step : escaped(step)}`;
  return pointer;
}

function escaped(step: string): string {
  return /[~/]/.test(step) ? step.replaceAll('~', '~0').replaceAll('/', '~1') : step;
}

export function fromPointer(pointer: string): Path {
  if (pointer === '') return [];
  const steps = pointer.slice(1).split('/');
  if (!pointer.includes('~')) return steps;
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The value at a path; undefined where there is none. */
export function valueAt(root: unknown, path: Path): unknown {
  let value = root;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step))
      return undefined;
    value = Reflect.get(value, step);
  }
  return value;
}
