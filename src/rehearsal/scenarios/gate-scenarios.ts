/** The scenarios of a `human_gate`: each of its options, and silence where it has a default. */
import type { JsonValue } from '../../errors/support/safe-json.ts';
import type { Place } from '../places/places.ts';
import { NEVER } from '../play/desk.ts';
import type { Found } from '../steer/steer.ts';
import type { Playbill } from './generate.ts';

export async function gateScenarios(bill: Playbill, place: Place, way: Found): Promise<void> {
  const { node } = place;
  if (node.type !== 'human_gate') return;
  for (const { value, promptFor } of node.options) {
    const answer =
      promptFor === undefined ? value : { selected: value, additional_input: 'rehearsed' };
    await answered(bill, place, way, { name: String(value), answer });
  }
  if (node.expiresMs !== undefined && node.default !== undefined)
    await answered(bill, place, way, { name: 'expired', answer: NEVER });
}

async function answered(
  bill: Playbill,
  place: Place,
  { script }: Found,
  { name, answer }: { readonly name: string; readonly answer: JsonValue },
): Promise<void> {
  const { people } = script;
  const said = {
    ...script,
    people: { ...people, answers: { ...people.answers, [place.name]: answer } },
  };
  const performance = await bill.company.perform(said);
  const draft = { name: `${place.name}: ${name}`, origin: 'generated' as const, place };
  bill.add(draft, { script: said, performance });
}
