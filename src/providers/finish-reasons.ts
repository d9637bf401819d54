/**
 * The finish reasons of a complete reply, per provider. No other reason counts as good: the SDK's mapping
 * can change with its next version, and a new reason is more often a new way to fail than to succeed.
 */
import { STOP_RULES } from './classify/rules/stops.ts';
import { providerNamed } from './known-providers.ts';

const OPENAI = ['stop', 'tool_calls', 'function_call', 'completed'];
const ANTHROPIC = ['end_turn', 'stop_sequence', 'tool_use'];

/** Every maker has a door of OpenAI's protocol, also where it has another one of its own. */
const BY_PROVIDER: Readonly<Record<string, readonly string[]>> = {
  openai: OPENAI,
  azure: OPENAI,
  anthropic: [...ANTHROPIC, ...OPENAI],
  // hosted models use the reasons of their makers
  bedrock: [...ANTHROPIC, ...OPENAI],
  google: OPENAI,
  mistral: OPENAI,
};

/** For hosts of OpenAI's protocol and for registered models: reasons of the engines behind them. */
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

/** True for a reason that is known to be bad, of whichever provider. */
export function isBadFinishReason(reason: string): boolean {
  return BAD.has(reason.toLowerCase());
}
