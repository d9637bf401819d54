/** Where something stands in the value that `workflow()` was given: `nodes[0].routes[1].to`. */
import { isOpaque, toCamel } from './define-keys.ts';
import { fromPointer } from './path.ts';

/** Of a pointer into the document that the value became. */
export function codePath(pointer: string): string {
  const [head, ...rest] = fromPointer(pointer).map(String);
  // the header of a file is not a part of its own in code
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
