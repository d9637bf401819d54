/** The scenarios of a `human_gate`: each of its options, and silence where it has a default. */
import type { JsonValue } from '../../errors/support/safe-json.ts';
import type { Place } from '../places/atlas.ts';
import { NEVER } from '../play/scripted-person.ts';
import type { Found } from '../steer/steer.ts';
import type { Draft, Playbill } from './generate-scenarios.ts';

interface GateAnswer {
  readonly name: string;
  readonly answer: JsonValue;
}

export async function gateScenarios(
  bill: Playbill,
  place: Place,
  { script }: Found,
): Promise<void> {
  for (const { name, answer } of answersTo(place)) {
    const { people } = script;
    const said = {
      ...script,
      people: { ...people, first: { ...people.first, [place.name]: answer } },
    };
    const performance = await bill.player.perform(said);
    bill.add(draftOf(place, name), { script: said, performance });
  }
}

/** The same scenarios for an unreachable gate. */
export function gateDrafts(place: Place): readonly Draft[] {
  return answersTo(place).map(({ name }) => draftOf(place, name));
}

function answersTo({ node }: Place): readonly GateAnswer[] {
  if (node.type !== 'human_gate') return [];
  const options = node.options.map(({ value, promptFor }): GateAnswer => ({
    name: String(value),
    answer: promptFor === undefined ? value : { selected: value, additional_input: 'rehearsed' },
  }));
  const mayExpire = node.expiresMs !== undefined && node.default !== undefined;
  return mayExpire ? [...options, { name: 'expired', answer: NEVER }] : options;
}

function draftOf(place: Place, name: string): Draft {
  return { name: `${place.name}: ${name}`, origin: 'generated', place };
}
