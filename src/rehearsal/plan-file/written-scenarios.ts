/** Plays the scenarios that a plan writes, and compares each with what it expects. */
import type { PlannedScenario } from '../../workflow/rehearsal-plan/plan-schema.ts';
import type { JsonObject, JsonValue } from '../../errors/support/safe-json.ts';
import type { Script } from '../play/play-scenario.ts';
import type { Playbill } from '../scenarios/generate-scenarios.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import type { Judgement } from '../verdict/verdict.ts';
import { placeNamed } from './check-plan.ts';
import { differencesOf } from './expect.ts';
import { faultsOf } from './written-faults.ts';
import { subjectOf } from './fault-subject.ts';

export async function writtenScenarios(
  bill: Playbill,
  scenarios: readonly PlannedScenario[],
): Promise<readonly Scenario[]> {
  const played: Scenario[] = [];
  for (const planned of scenarios) played.push(await playWritten(bill, planned));
  return played;
}

async function playWritten(bill: Playbill, planned: PlannedScenario): Promise<Scenario> {
  const { player } = bill;
  const script = await scriptOf(bill, planned);
  const performance = await player.perform(script);
  const draft = { name: planned.name, origin: 'written' as const };
  const scenario = bill.add(draft, { script, performance });
  const { expect } = planned;
  if (expect === undefined || scenario.summary === undefined) return scenario;
  const differs = differencesOf(player.atlas, expect, scenario.summary);
  const isDecided = expect.status !== undefined || expect.error !== undefined;
  return {
    ...scenario,
    judgement: isDecided ? decided(scenario) : scenario.judgement,
    ...(differs.length === 0 ? {} : { differs }),
  };
}

/** The expectation decides, so no end is a surprise. */
function decided({ judgement, summary }: Scenario): Judgement {
  if (judgement.verdict !== 'surprise' && judgement.verdict !== 'unreached') return judgement;
  switch (summary?.result.status) {
    case 'completed':
      return { verdict: 'completed' };
    case 'paused':
      return { verdict: 'paused as routed' };
    default:
      return { verdict: 'failed as routed' };
  }
}

/** Steered to the node of its first fault, where values lead there. */
async function scriptOf(bill: Playbill, planned: PlannedScenario): Promise<Script> {
  const { player } = bill;
  const { faults = [], answers = {}, input = {} } = planned;
  const [first] = faults;
  const subject = first?.at === undefined ? undefined : subjectOf(first.at);
  const place = subject?.type === 'node' ? placeNamed(player.atlas, subject.name) : undefined;
  const way = place === undefined ? undefined : await bill.peacefulWay(place);
  const calm = bill.calmScript;
  const { assignment, people } = way?.script ?? calm;
  const base = player.values.input(assignment);
  return {
    assignment,
    strikes: [],
    people: {
      answers: { ...people.answers, ...(answers as Readonly<Record<string, JsonValue>>) },
      resumed: [],
      waitsForParks: true,
    },
    input: { ...base, ...(input as JsonObject) },
    faults: () => faultsOf(player.context, faults),
  };
}
