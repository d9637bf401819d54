/**
 * Measures the learned weights on entries that they did not learn: `node scripts/left-out.ts`
 * leaves out each examination in turn, `-- providers` each group of providers (20 groups). The
 * rules are written by hand and cannot be unlearned, so their result on these entries is too good;
 * that of the weights alone is not.
 */
import { createHash } from 'node:crypto';
import { ALL_ENTRIES, EXAMS, type Entry } from '../test/corpus/entries.ts';
import { extractFailure } from '../src/providers/extract/extract.ts';
import { classify } from '../src/providers/classify/classify.ts';
import { gatherEvidence } from '../src/providers/classify/evidence.ts';
import { compileRule } from '../src/providers/classify/match.ts';
import { createRuleFinder } from '../src/providers/classify/shortlist.ts';
import { RULES } from '../src/providers/classify/table.ts';
import { signsOf } from '../src/providers/classify/weighed/signs.ts';
import { conclude, conclusionOf } from '../src/providers/classify/weighed/weigh.ts';
import {
  allLessons,
  labelsOf,
  learn,
  lessonsIn,
  lessonsInWords,
  lessonsOfRules,
  type Learned,
} from './weigh.ts';

const GROUPS = 20;
const LABELS = labelsOf(allLessons());
const findRule = createRuleFinder(RULES.map(compileRule));

interface Score {
  entries: number;
  weights: number;
  rules: number;
  both: number;
}

/**
 * The number of entries that get their kind: by weights that never saw them, by the rules, and by
 * both.
 */
function score(left: readonly Entry[]): Score {
  const isLeft = new Set(left);
  const kept = ALL_ENTRIES.filter((entry) => !isLeft.has(entry));
  const lessons = [...lessonsIn(kept), ...lessonsInWords(), ...lessonsOfRules()];
  const learned = learn(lessons, LABELS);
  const total: Score = { entries: 0, weights: 0, rules: 0, both: 0 };
  for (const entry of left.filter(({ contested }) => !contested)) add(total, entry, learned);
  return total;
}

function add(total: Score, entry: Entry, learned: Learned): void {
  const failure = extractFailure(entry);
  if (failure === undefined) return;
  const evidence = gatherEvidence(failure);
  const match = findRule(evidence);
  const basis = match?.compiled.basis;
  const byRule = match?.compiled.rule;
  const scores = scoresOf(signsOf(evidence), learned);
  const label =
    basis === 'certain' ? undefined : conclude(scores, evidence, { rule: byRule, basis });
  const { kind } = entry.expect;
  const ruled = byRule?.means.kind ?? 'provider.unknown';
  const weighed = LABELS[scores.indexOf(Math.max(...scores))] ?? '';
  total.entries++;
  if (kindOf(weighed) === kind) total.weights++;
  else if (process.argv.includes('--show')) show(entry, weighed);
  if (ruled === kind) total.rules++;
  if ((label === undefined ? ruled : kindOf(LABELS[label] ?? '')) === kind) total.both++;
}

/**
 * Shows the conclusion of the weights for an entry beside its label: a wrong label shows here too.
 */
function show({ id, status, expect }: Entry, weighed: string): void {
  const label = conclusionOf(expect.kind, expect.category);
  console.log(`  ${id} (${status ?? 'no status'}): ${label}, weighed ${weighed}`);
}

function scoresOf(
  { list, size }: { readonly list: Int32Array; readonly size: number },
  { weights, bias }: Learned,
): Float64Array {
  const rows = [...list.subarray(0, size)].flatMap((sign) => weights.get(sign) ?? []);
  const scale = 1 / Math.sqrt(Math.max(1, rows.length));
  return bias.map(
    (value, at) => value + scale * rows.reduce((sum, row) => sum + (row[at] ?? 0), 0),
  );
}

function kindOf(label: string): string {
  return label.split(' ')[0] ?? '';
}

function groupOf({ provider }: Entry): number {
  return createHash('sha256').update(provider).digest().readUInt16BE(0) % GROUPS;
}

function print(name: string, { entries, weights, rules, both }: Score): void {
  const percent = (count: number): string => `${((100 * count) / entries).toFixed(1)} %`;
  console.log(
    `${name}: ${entries} entries; weights alone ${percent(weights)}, rules alone ${percent(rules)}, both ${percent(both)}`,
  );
}

/**
 * The number of entries that today's whole classifier judges differently: none, unless a change
 * broke something.
 */
function judgedOtherwise(): number {
  return ALL_ENTRIES.filter(({ contested }) => !contested).filter((entry) => {
    const failure = extractFailure(entry);
    return failure !== undefined && classify(failure).kind !== entry.expect.kind;
  }).length;
}

const sets = process.argv.includes('providers')
  ? Array.from(
      { length: GROUPS },
      (_, group) =>
        [
          `providers, group ${group + 1}`,
          ALL_ENTRIES.filter((entry) => groupOf(entry) === group),
        ] as const,
    )
  : Object.entries(EXAMS);
const sum: Score = { entries: 0, weights: 0, rules: 0, both: 0 };
for (const [name, left] of sets) {
  const found = score(left);
  print(name, found);
  for (const field of ['entries', 'weights', 'rules', 'both'] as const) sum[field] += found[field];
}
print('all', sum);
console.log(`with everything learned: ${judgedOtherwise()} judged otherwise`);
