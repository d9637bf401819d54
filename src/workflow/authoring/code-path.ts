/** Code path: a location in the argument of `workflow()`, such as `nodes[0].routes[1].to`. */
import { isOpaque, toCamel } from './define-keys.ts';
import { fromPointer } from '../plan/pointer.ts';

/** Converts a pointer into the generated document. */
export function codePath(pointer: string): string {
  const [head, ...rest] = fromPointer(pointer).map(String);
  // in code the header is not a separate block
  const path = head === 'workflow' ? rest : [head ?? '', ...rest];
  let isAuthors = false;
  const parts = path.map((part, at) => {
    const written = isAuthors ? part : toCamel(part);
    if (at > 0 || head === 'workflow') isAuthors ||= isOpaque(written);
    if (/^\d+$/.test(part)) return `[${part}]`;
    return /^[A-Za-z_$][\w$]*$/.test(written) ? `.${written}` : `[${JSON.stringify(written)}]`;
  });
  return parts.join('').replace(/^\./, '');
}
