/** Every kind of the catalog, raised in an activity, below a child and below a grandchild. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogRow, RUNTIME_KINDS } from '../../src/errors/catalog.ts';
import { act, type DriverCase } from '../drivers/case.ts';
import { LOCAL, type Subject } from '../drivers/subjects.ts';
import { temporalSubject } from '../drivers/temporal-subject.ts';
import { openStage, whyNot, type Stage } from './place.ts';

const AT_ONCE = 12;

const PLACES: Readonly<Record<string, { path: string; files: Record<string, string> }>> = {
  'in an activity': {
    path: 'a',
    files: {
      'main.yaml': 'workflow: {name: main, entry_point: a}\nagents:\n  - {name: a, act(a)}',
    },
  },
  'below a child': {
    path: 'a/b',
    files: {
      'main.yaml':
        'workflow: {name: main, entry_point: a}\nagents:\n  - {name: a, type: workflow, workflow: ./child.yaml}',
      'child.yaml':
        'workflow: {name: child, entry_point: b, on_unhandled: propagate}\nagents:\n  - {name: b, act(a/b)}',
    },
  },
  'below a grandchild': {
    path: 'a/b/c',
    files: {
      'main.yaml':
        'workflow: {name: main, entry_point: a}\nagents:\n  - {name: a, type: workflow, workflow: ./child.yaml}',
      'child.yaml':
        'workflow: {name: child, entry_point: b, on_unhandled: propagate}\nagents:\n  - {name: b, type: workflow, workflow: ./grandchild.yaml}',
      'grandchild.yaml':
        'workflow: {name: grandchild, entry_point: c, on_unhandled: propagate}\nagents:\n  - {name: c, act(a/b/c)}',
    },
  },
};

const skipped = whyNot('every kind of failure through activities, children and grandchildren');

describe.skipIf(skipped !== undefined)('the report at the client is the local one', () => {
  let stage: Stage;
  let temporal: Subject;

  beforeAll(async () => {
    stage = await openStage('kinds');
    await stage.worker({ functions: { act } });
    temporal = temporalSubject(await stage.client());
  }, 300_000);

  afterAll(() => stage?.close());

  it.each(Object.keys(PLACES))('for each kind raised %s', { timeout: 120_000 }, async (where) => {
    const cases = RUNTIME_KINDS.map((kind) => raising(kind, where));
    const told = await inTurn(cases, async (each) => ({
      kind: each.name,
      temporal: await temporal.tell(each),
      local: await LOCAL.tell(each),
    }));
    expect(told).toHaveLength(RUNTIME_KINDS.length);
    for (const each of told) expect(each.temporal, each.kind).toEqual(each.local);
  });
});

function raising(kind: (typeof RUNTIME_KINDS)[number], where: string): DriverCase {
  const { path = '', files = {} } = PLACES[where] ?? {};
  const failure = {
    kind,
    message: `It is ${kind}`,
    details: { why: catalogRow(kind)?.title ?? '', numbers: [1, 2.5], nested: { deep: null } },
    cause: { kind: 'external.root', message: 'The root', details: { id: 1 } },
  } as never;
  return { name: `${kind} ${where}`, files, effects: { [path]: { fails: [failure] } } };
}

/** So many at one time. */
async function inTurn<In, Out>(
  list: readonly In[],
  work: (each: In) => Promise<Out>,
): Promise<readonly Out[]> {
  const left = [...list];
  const done: Out[] = [];
  const lane = async (): Promise<void> => {
    for (let each = left.shift(); each !== undefined; each = left.shift())
      done.push(await work(each));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return done;
}
