/** Workflow files and failures that the cases share. */

export const MISSING = {
  kind: 'external.order.missing',
  message: 'No such order',
  details: { id: 7 },
};

/** One file with these nodes. */
export function main(nodes: string, rest = '', header = ''): Record<string, string> {
  return {
    'main.yaml': `workflow: {name: main, entry_point: a${header}}\nagents:\n${nodes}\n${rest}`,
  };
}

/** Longer than the second between two polls of a run on Temporal, so that no pause passes unseen. */
export const PARKED = '3s';
