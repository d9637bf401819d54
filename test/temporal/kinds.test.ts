/**
 * The kinds of the catalog, raised in an activity, below a child and below a grandchild: an eighth of them
 * or a twelfth at each commit, so that a dozen commits raise them all.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogRow, RUNTIME_KINDS } from '../../src/errors/catalog/catalog.ts';
import { act, type DriverCase } from '../engine/case.ts';
import { LOCAL, type Subject } from '../engine/subjects.ts';
import { temporalSubject } from '../engine/temporal-subject.ts';
import { openStage, whyNot, type Stage } from './stage.ts';
import { howToRepeat, sampled } from '../sampled.ts';

const AT_ONCE = 12;
const LONG = { timeout: 900_000 };

interface Place {
  readonly path: string;
  /** One of so many kinds is raised there. */
  readonly oneOf: number;
  readonly files: Readonly<Record<string, string>>;
}

const PLACES: Readonly<Record<string, Place>> = {
  'in an activity': {
    path: 'a',
    oneOf: 8,
    files: {
      'main.yaml': 'workflow: {name: main, entry_point: a}\nagents:\n  - {name: a, act(a)}',
    },
  },
  'below a child': {
    path: 'a/b',
    oneOf: 12,
    files: {
      'main.yaml':
        'workflow: {name: main, entry_point: a}\nagents:\n  - {name: a, type: workflow, workflow: ./child.yaml}',
      'child.yaml':
        'workflow: {name: child, entry_point: b, on_unhandled: propagate}\nagents:\n  - {name: b, act(a/b)}',
    },
  },
  'below a grandchild': {
    path: 'a/b/c',
    oneOf: 12,
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
  });

  afterAll(async () => {
    await stage?.close();
    process.stdout.write(`\nkinds raised: ${howToRepeat('test/temporal/kinds.test.ts')}\n`);
  });

  it.each(Object.entries(PLACES))('for each kind raised %s', LONG, async (where, { oneOf }) => {
    const kinds = sampled(RUNTIME_KINDS, { oneOf, what: where });
    const cases = kinds.map((kind) => raising(kind, where));
    const told = await inTurn(cases, async (each) => ({
      kind: each.name,
      temporal: await temporal.tell(each),
      local: await LOCAL.tell(each),
    }));
    expect(told).toHaveLength(kinds.length);
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
