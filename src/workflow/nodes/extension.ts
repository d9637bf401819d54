/**
 * `type: acme.thing`: a node type of an extension. It is planned as a call of the extension's function of
 * that name, with the same rules; nothing after planning knows the difference.
 */
import { isPlainObject } from '../../errors/support/safe-json.ts';
import type { CallPlan } from '../plan/node-plan.ts';
import type { Path } from '../plan/pointer.ts';
import type { Planner } from '../plan/planner.ts';
import { hinted, literal, text, type FromShape } from '../schema/leaf.ts';
import { callShape, planCall } from './call.ts';

/** Internal type by which the schema recognises such nodes; authors never write it. */
export const EXTENSION_NODE = 'errand.extension';

const TYPE_PATTERN = '^[a-z][a-z0-9_]*\\.[A-Za-z_][A-Za-z0-9_]*$';
const TYPE = new RegExp(TYPE_PATTERN);

const { function: _function, type: _type, ...shape } = callShape;

export const extensionShape = {
  ...shape,
  type: hinted(
    literal('A node type of an extension: its name, a dot, and the type.', EXTENSION_NODE),
    {
      const: undefined,
      type: 'string',
      pattern: TYPE_PATTERN,
      examples: ['acme.lookup'],
    },
  ),
  node_type: text('The type as it is written.'),
};

export type ExtensionFile = FromShape<typeof extensionShape>;

export function isExtensionType(type: unknown): type is string {
  return typeof type === 'string' && TYPE.test(type);
}

/** Prepares the document for the schema. Groups contain nodes too, at any depth. */
export function withExtensionTypes(document: unknown): unknown {
  if (!isPlainObject(document)) return document;
  const lists = (['agents', 'nodes', 'for_each'] as const).flatMap((key) =>
    Array.isArray(document[key]) ? [[key, document[key].map(withExtensionType)] as const] : [],
  );
  return { ...document, ...Object.fromEntries(lists) };
}

function withExtensionType(node: unknown): unknown {
  if (!isPlainObject(node)) return node;
  const { type, agent } = node;
  const inner = agent === undefined ? {} : { agent: withExtensionType(agent) };
  // the internal type is not accepted from a file
  return isExtensionType(type) && !('node_type' in node)
    ? { ...node, ...inner, type: EXTENSION_NODE, node_type: type }
    : { ...node, ...inner };
}

export function planExtension(
  { node_type: nodeType, ...node }: ExtensionFile,
  path: Path,
  planner: Planner,
): Omit<CallPlan, 'fingerprint'> {
  const call = planCall({ ...node, type: 'call', function: nodeType }, path, planner);
  return { ...call, isExtension: true };
}
