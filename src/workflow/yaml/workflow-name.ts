/** The name of the workflow in a text, even in an invalid one. */
import { isMap, isScalar } from 'yaml';
import { parseYaml } from './parse-yaml.ts';
import { sourceText } from './source-text.ts';

export interface NamedText {
  /** Whether it has the key `workflow:`, and so means to be a workflow. */
  readonly isWorkflow: boolean;
  /** Absent where it cannot be read. */
  readonly name?: string;
}

export function workflowNameIn(text: string): NamedText {
  const root = parseYaml(sourceText('', text), () => undefined);
  if (!isMap(root)) return { isWorkflow: /^workflow[ \t]*:/m.test(text) };
  const header = root.get('workflow', true);
  const name = isMap(header) ? header.get('name', true) : undefined;
  const isNamed = isScalar(name) && typeof name.value === 'string' && name.value !== '';
  return {
    isWorkflow: root.has('workflow'),
    ...(isNamed ? { name: String(name.value) } : {}),
  };
}
