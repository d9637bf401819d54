/** Clients show texts on terminals: none of ours can repaint one, and data stay exact. */
import { beforeAll, expect, test } from 'vitest';
import { embedded, ERAS, folderWith, type Embedded, type Json } from './clients.ts';

const HOSTILE = String.raw`\u001b[2J\u202e\u009b1m\u0007\u200b`;
const EXACT = JSON.parse(`"${HOSTILE}"`) as string;

const FILES = {
  'gate.yaml': `
workflow: {name: gate, entry_point: say, description: "Gate ${HOSTILE}", input: {who: {type: string, default: x, description: "Who ${HOSTILE}"}}}
nodes:
  - {name: say, type: set, value: "text ${HOSTILE}", routes: [{to: ok}]}
  - name: ok
    type: human_gate
    prompt: "Ship {{ say.output }}?"
    options: [{label: "Yes ${HOSTILE}", value: yes}, {label: No, value: "no ${HOSTILE}"}]
    routes: [{to: done}]
  - {name: done, type: set, value: "{{ say.output }}"}
`,
};

/** All that a terminal acts upon or does not show. */
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/;

let server: Embedded;

beforeAll(() => {
  server = embedded(folderWith(FILES));
});

test.each(ERAS)('%s', async (era) => {
  const forms: Json[] = [];
  const asked = await server.connect({
    era,
    person: (form) => {
      forms.push(form);
      return { action: 'accept', content: { value: 'yes' } };
    },
  });
  const { tools } = await asked.client.listTools();
  const gate = tools.find(({ name }: Json) => name === 'gate');
  const completed = await asked.call('gate');
  const alone = await server.connect({ era });
  const paused = await alone.call('gate');
  const value = await alone.call('get_run', { run: completed.structuredContent.run, path: 'say' });
  const [{ message, requestedSchema }] = forms;
  const { enum: values, enumNames } = requestedSchema.properties.value;

  for (const shown of [
    gate.description,
    gate.inputSchema.properties.who.description,
    message,
    ...enumNames,
    completed.content[0].text,
    paused.content[0].text,
    value.content[0].text,
  ])
    expect(shown).not.toMatch(UNSEEN);
  expect(values).toEqual(['yes', `no ${EXACT}`]);
  expect(completed.structuredContent.output).toBe(`text ${EXACT}`);
  expect(value.structuredContent.value).toBe(`text ${EXACT}`);
  expect(message).toContain(String.raw`\u001b[2J`);
});
