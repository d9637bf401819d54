/**
 * The accessibility tree of a page as the browser passes it to a screen reader, in reading order.
 */
import type { Page } from 'playwright-core';

export interface AxNode {
  readonly role: string;
  readonly name: string;
  /** Set for a heading. */
  readonly level?: number;
  /** `polite` or `assertive` for a live region. */
  readonly live?: string;
}

interface SentValue {
  readonly value?: unknown;
}

interface SentNode {
  readonly nodeId: string;
  readonly ignored: boolean;
  readonly role?: SentValue;
  readonly name?: SentValue;
  readonly childIds?: readonly string[];
  readonly properties?: readonly { readonly name: string; readonly value: SentValue }[];
}

export async function axTree(page: Page): Promise<readonly AxNode[]> {
  const session = await page.context().newCDPSession(page);
  try {
    const { nodes } = await session.send('Accessibility.getFullAXTree');
    // the protocol's own types name every possible property
    const sent = nodes as readonly SentNode[];
    const byId = new Map(sent.map((node) => [node.nodeId, node]));
    const [root] = sent;
    return root === undefined ? [] : inOrder(root, byId);
  } finally {
    await session.detach();
  }
}

function inOrder(node: SentNode, byId: ReadonlyMap<string, SentNode>): readonly AxNode[] {
  const inside = (node.childIds ?? []).flatMap((id) => {
    const child = byId.get(id);
    return child === undefined ? [] : inOrder(child, byId);
  });
  return node.ignored ? inside : [seen(node), ...inside];
}

function textOf(value: { readonly value?: unknown } | undefined): string {
  return typeof value?.value === 'string' ? value.value : '';
}

function seen({ role, name, properties = [] }: SentNode): AxNode {
  const of = (key: string): unknown => properties.find((each) => each.name === key)?.value.value;
  const [level, live] = [of('level'), of('live')];
  return {
    role: textOf(role),
    name: textOf(name),
    ...(typeof level === 'number' ? { level } : {}),
    ...(typeof live === 'string' && live !== 'off' ? { live } : {}),
  };
}

/** A form without a name is no landmark: its controls have names. */
const CONTROLS: ReadonlySet<string> = new Set([
  'button',
  'link',
  'textbox',
  'combobox',
  'checkbox',
  'spinbutton',
  'dialog',
  'region',
  'table',
  'img',
  'search',
  'article',
]);

/** The faults for a person who listens to the page: each sentence names one. */
export function axFaults(nodes: readonly AxNode[]): readonly string[] {
  const unnamed = nodes.filter(({ role, name }) => CONTROLS.has(role) && name.trim() === '');
  const headings = nodes.filter(({ role }) => role === 'heading');
  // behind an open dialog the page is silent, even its first heading
  const above = nodes.some(({ role }) => role === 'dialog') ? 1 : 0;
  const skipped = headings.filter(
    ({ level = 0 }, at) => level > (headings[at - 1]?.level ?? above) + 1,
  );
  const regions = nodes.filter(({ role }) => role === 'region').map(({ name }) => name);
  return [
    ...unnamed.map(({ role }) => `a ${role} without a name`),
    ...skipped.map(({ name, level }) => `the heading "${name}" skips a level with ${level}`),
    ...regions.filter((name, at) => regions.indexOf(name) !== at).map((name) => `two of ${name}`),
  ];
}
