/**
 * The good finish reasons of a complete reply, per provider. No other reason counts as good: the
 * SDK's mapping can change with its next version, and a new reason more often means a new way to
 * fail than to succeed.
 */
import { STOP_RULES } from './classify/rules/stops.ts';
import { providerNamed } from './known-providers.ts';

const OPENAI = ['stop', 'tool_calls', 'function_call', 'completed'];
const ANTHROPIC = ['end_turn', 'stop_sequence', 'tool_use'];

/** Every maker also offers OpenAI's protocol, even beside a protocol of its own. */
const BY_PROVIDER: Readonly<Record<string, readonly string[]>> = {
  openai: OPENAI,
  azure: OPENAI,
  anthropic: [...ANTHROPIC, ...OPENAI],
  // hosted models use the reasons of their makers
  bedrock: [...ANTHROPIC, ...OPENAI],
  google: OPENAI,
  mistral: OPENAI,
};

/** Reasons of the engines behind hosts of OpenAI's protocol and behind registered models. */
const ANYWHERE: readonly string[] = [
  ...OPENAI,
  ...ANTHROPIC,
  'complete',
  'end',
  'eos',
  'eos_token',
  'stop_token',
  'stop_str',
];

export function isGoodFinishReason(provider: string, reason: string): boolean {
  const { name } = providerNamed(provider);
  const known = Object.hasOwn(BY_PROVIDER, name) ? BY_PROVIDER[name] : undefined;
  return (known ?? ANYWHERE).includes(reason.toLowerCase());
}

const BAD: ReadonlySet<string> = new Set(STOP_RULES.flatMap(({ when }) => when.stops ?? []));

/** True for a reason that is known to be bad at any provider. */
export function isBadFinishReason(reason: string): boolean {
  return BAD.has(reason.toLowerCase());
}
