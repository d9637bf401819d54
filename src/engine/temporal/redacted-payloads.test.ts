/** Secrets do not leave for a Temporal server: those of this machine, and those of a file. */
import { expect, it } from 'vitest';
import { createRedactor } from '../../errors/redaction/redact.ts';
import { memoryFiles } from '../../workflow/yaml/files.cases.ts';
import { loadWorkflow } from '../../workflow/yaml/load-workflow.ts';
import { RedactedPayloads } from './redacted-payloads.ts';

const NODES: Readonly<Record<string, string>> = {
  'a set value': 'type: set, values: {v: "${SETTING}"}',
  'a prompt': 'prompt: "the key is ${SETTING}", model: sim/m',
  'an argument of a script': 'type: script, command: sh, args: ["${SETTING}"]',
  'the environment of a script': 'type: script, command: sh, env: {TOKEN: "${SETTING}"}',
  'an argument of a function': 'type: call, function: f, arguments: {key: "${SETTING}"}',
};

const loaded = (node: string, value: string) => {
  const text = `workflow: {name: t, entry_point: a}\nnodes:\n  - {name: a, ${node}}\n`;
  const found = loadWorkflow('t.yaml', memoryFiles({ 't.yaml': text }), { SETTING: value });
  if (!found.ok) throw new Error(JSON.stringify(found.diagnostics));
  return found;
};

it.each(Object.entries(NODES))('refuses a plan with a secret of its file in %s', (_, node) => {
  const payloads = new RedactedPayloads(createRedactor());
  const { plan, secrets } = loaded(node, 'Gq8kP2vT9xLm4RsW7yNa');
  payloads.learn(secrets);
  expect(() => payloads.check(plan)).toThrow('which Temporal would store and show');
});

it.each(Object.entries(NODES).slice(0, 3))('takes an ordinary value in %s', (_, node) => {
  const payloads = new RedactedPayloads(createRedactor());
  const { plan, secrets } = loaded(node, 'eu-west-1');
  payloads.learn(secrets);
  expect(() => payloads.check(plan)).not.toThrow();
});
