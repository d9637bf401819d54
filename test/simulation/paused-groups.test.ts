/**
 * Groups that are parked or ask after a failure, and whose list their own members have lengthened meanwhile: every
 * law holds at every try, because a group continues with the members that it began with.
 */
import { it } from 'vitest';
import { seeds } from '../sampled.ts';
import { simulateLawfully } from './lawful.ts';
import { planOfFiles } from './plans.ts';
import { weatherOf } from './weather.ts';

type Files = Readonly<Record<string, string>>;

const PAUSES = ['park: {for: 15m}', 'park: true', 'ask: {options: [retry, abort]}'];
const MODES = [
  'failure_mode: fail_fast',
  'failure_mode: all_or_nothing',
  'failure_mode: all_or_nothing, max_concurrent: 1',
  'failure_mode: quorum, quorum: 3',
];
const HEAD = 'entry_point: g, state: {left: {type: array, default: [1, 2, 3], merge: append}}';

/** The members pay; then the second one fails, and the others write to the list that the group reads. */
const growing = (name: string, mode: string, routes: string): string => `
workflow: {name: ${name}, ${HEAD}}
nodes:
  - {name: more, type: set, value: 1, state: {left: [4]}}
  - {name: bad, type: script, command: bad}
for_each:
  - {name: g, source: "{{ state.left }}", as: n, ${mode}, routes: ${routes},
     agent: {name: pay, type: script, command: pay, args: ["{{ n }}"], routes: [{to: bad, when: "{{ n == 2 }}"}, {to: more}]}}
`;

const paused = (pause: string): string => `[{to: $end}, {on_error: true, ${pause}}]`;

const PLANS: Readonly<Record<string, (mode: string, pause: string) => Files>> = {
  'a group': (mode, pause) => ({ 'main.yaml': growing('main', mode, paused(pause)) }),
  'a sub-workflow with a group': (mode, pause) => ({
    'main.yaml': `
workflow: {name: main, entry_point: w}
nodes:
  - {name: w, type: workflow, workflow: ./child.yaml, routes: ${paused(pause)}}
`,
    'child.yaml': growing('child', mode, '[{to: $end}]'),
  }),
};

const SHAPES = Object.entries(PLANS).flatMap(([where, files]) =>
  MODES.flatMap((mode) =>
    PAUSES.map((pause) => ({ name: `${where}, ${mode}, ${pause}`, files: files(mode, pause) })),
  ),
);

const FAILURE = { kind: 'order.missing', message: 'no' };

it.each(SHAPES)('$name', async ({ files }) => {
  const planned = planOfFiles(files);
  for (const seed of seeds(16, 'paused groups')) {
    await simulateLawfully(planned, {
      seed,
      fails: { bad: [FAILURE, FAILURE, null] },
      resumes: 1,
      // every second one in bad weather
      ...(seed % 2 === 0 ? {} : { faults: { ...weatherOf(seed), effectFails: 0 } }),
    });
  }
});
