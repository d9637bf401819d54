/** Replies of models without a script: mostly sensible, with all the errors of real models. */
import type { Speaker } from '../../src/rehearsal/world/model-fate.ts';
import type { Random } from '../../src/rehearsal/world/random.ts';
import {
  isArray,
  isPlainObject,
  type JsonObject,
  type JsonValue,
} from '../../src/errors/support/safe-json.ts';
import type { ModelCall } from '../../src/machine/conversation/model-message.ts';
import type { SimulatedAnswer } from '../../src/workflow/plan/plan.ts';

type Said = Extract<SimulatedAnswer, { type: 'answer' | 'tool_calls' | 'stream' }>;

export const speak: Speaker = (call, random) => {
  const turns = call.messages.filter(({ role }) => role === 'assistant').length;
  const how = {
    delayMs: random.chance(0.1) ? random.int(8000) : 0,
    ...(random.chance(0.2)
      ? { usage: { inputTokens: random.int(2000), outputTokens: random.pick([3, 90, 3000]) } }
      : {}),
  };
  if (call.judges === true) return { ...how, ...verdict(random) };
  const choices = choicesOf(call);
  if (choices !== undefined) return { ...how, ...chosen(choices, turns, random) };
  const again = random.chance(isUnderstood(call) ? 0.35 : 0.85) ? toldNo(call) : undefined;
  if (again !== undefined) return { ...how, ...again };
  const draw = random.next();
  // the longer it takes, the more likely it ends
  const calls = turns >= 3 ? 0.1 : 0.5;
  if (call.tools.length > 0 && draw < calls) return { ...how, ...toolCalls(call, random) };
  if (draw > 0.97) return { ...how, ...toolCalls(call, random) };
  return { ...how, ...words(call, random) };
};

/** For a supervisor: the members that it may name. */
function choicesOf({ outputSchema }: ModelCall): readonly JsonValue[] | undefined {
  const properties = outputSchema?.['properties'];
  const next = isPlainObject(properties) ? properties['next'] : undefined;
  const choices = isPlainObject(next) ? next['enum'] : undefined;
  return choices !== undefined && isArray(choices) ? choices : undefined;
}

function chosen(choices: readonly JsonValue[], turns: number, random: Random): Said {
  if (random.chance(0.15)) return answer('whoever you like');
  const next = random.chance(turns / 5) ? 'done' : random.pick(choices);
  return answer({ next, reason: 'It is time' });
}

/** A judge mostly accepts; some reject, and some reply with nonsense. */
function verdict(random: Random): Said {
  if (random.chance(0.1)) return answer(random.pick(['fine', { passed: 'yes' }]));
  return random.chance(0.6)
    ? answer({ passed: true })
    : answer({ passed: false, feedback: random.pick(['Name it.', '']) });
}

function toolCalls(call: ModelCall, random: Random): Said {
  const calls = Array.from({ length: random.chance(0.3) ? 2 : 1 }, () => oneCall(call, random));
  return { delayMs: 0, type: 'tool_calls', calls };
}

/** Some never understand why a call is wrong, and repeat it until they are stopped. */
function isUnderstood({ messages }: ModelCall): boolean {
  const last = messages.at(-1);
  if (last?.role !== 'tool') return true;
  return !/"tool\.(?:input_invalid|not_found)"/.test(JSON.stringify(last.result));
}

/** The requests that were refused, word for word. */
function toldNo({ messages }: ModelCall): Said | undefined {
  const last = messages.at(-1);
  const asked = messages.findLast(({ role }) => role === 'assistant');
  if (last?.role !== 'tool' || !last.isError || asked?.role !== 'assistant') return undefined;
  const calls = asked.toolCalls.map(({ name, arguments: given }) => ({
    name,
    // its reply is an object, or it could not have made the call
    arguments: isPlainObject(given) ? given : {},
  }));
  return { delayMs: 0, type: 'tool_calls', calls };
}

/** Arguments for an offered tool, in the right form or in a wrong one. */
function oneCall(
  { tools }: ModelCall,
  random: Random,
): { readonly name: string; readonly arguments: JsonObject } {
  const draw = random.next();
  const known = tools.length === 0 ? 'charge' : random.pick(tools).name;
  const name = draw < 0.1 ? random.pick(['charge', 'send', 'nosuch', 'write_state']) : known;
  if (name === 'raise_error')
    return {
      name,
      arguments: { kind: random.pick(['order.missing', 'provider.auth']), message: 'No' },
    };
  if (name === 'ask_person')
    return { name, arguments: draw > 0.95 ? {} : { question: 'Which one?' } };
  if (name === 'read_tool_output')
    return { name, arguments: { call: random.pick(['none', 'call_1']), offset: random.int(200) } };
  if (name === 'write_state')
    return { name, arguments: { key: random.pick(['total', 'tags', 'other']), value: [1] } };
  return { name, arguments: draw > 0.9 ? { id: 'seven' } : { id: random.int(2) } };
}

function words({ outputSchema }: ModelCall, random: Random): Said {
  const draw = random.next();
  if (draw < 0.06)
    return answer({ errand_error: true, kind: 'order.missing', message: 'No such order' });
  if (draw < 0.08) return answer({ errand_error: true, kind: 'Not A Kind' });
  if (draw < 0.1)
    return answer({ conductor_error: true, kind: 'provider.auth', message: 'Not mine to raise' });
  if (outputSchema !== undefined && draw < 0.3) return answer(random.pick(['none', { n: 'two' }]));
  return answer(outputSchema === undefined ? 'done' : { n: random.int(4) });
}

function answer(value: JsonValue): Said {
  return { delayMs: 0, type: 'answer', answer: value };
}
