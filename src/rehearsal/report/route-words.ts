/**
 * Names a route in a text: `classify, route 3`. Texts count from 1, as people count the lines of a list;
 * `rule` in JSON and `#2` in the name of a scenario count from 0, as `route:taken` does.
 */

/** Without a rule the node itself, as for the options of a `human_gate`; without a node the file's own table. */
export function routeWords(node: string | undefined, rule: number | undefined): string {
  const owner = node ?? 'the workflow';
  return rule === undefined ? owner : `${owner}, ${routeNumber(rule)}`;
}

/** `route 3` for the rule 2. */
export function routeNumber(rule: number): string {
  return `route ${rule + 1}`;
}
