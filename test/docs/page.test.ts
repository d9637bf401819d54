import { expect, it } from 'vitest';
import { notPrinted, stepsOf } from './page.ts';

const PAGE = `Save this as \`a.yaml\`:

\`\`\`yaml
name: a
\`\`\`

\`\`\`console
$ one   # exit 3
said
…
$ two
\`\`\`
`;

it('a page has files and commands, with what they print and how they end', () => {
  expect(stepsOf(PAGE)).toEqual([
    { type: 'file', name: 'a.yaml', text: 'name: a\n' },
    { type: 'command', typed: 'one', exit: 3, prints: ['said', '…'], line: 8 },
    { type: 'command', typed: 'two', exit: 0, prints: [], line: 11 },
  ]);
});

it.each([
  [['a', 'b'], 'a\nb\nc', undefined],
  [['a', 'c'], 'a\nb\nc', 'c'],
  [['a', '…', 'c'], 'a\nb\nc', undefined],
  [['…', 'c', 'b'], 'a\nb\nc', 'b'],
  [['x … z.'], 'x y z.', undefined],
  [['x … z.'], 'x y z!', 'x … z.'],
  [[], 'anything', undefined],
])('of %j shown and %j printed, %j is missing', (shown, printed, missing) => {
  expect(notPrinted(shown, printed)).toBe(missing);
});
