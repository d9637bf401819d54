/**
 * The words with which providers end a whole answer, each in its own. An ending is good only by one of
 * these: what the SDK makes of the others can change with its next version, and a new word is more
 * often a new way to fail than a new way to succeed.
 */
import { providerNamed } from '../../providers/names.ts';

const OPENAI = ['stop', 'tool_calls', 'function_call', 'completed'];
const ANTHROPIC = ['end_turn', 'stop_sequence', 'tool_use'];

const BY_PROVIDER: Readonly<Record<string, readonly string[]>> = {
  openai: OPENAI,
  azure: OPENAI,
  anthropic: ANTHROPIC,
  // what it hosts speaks as its maker does
  bedrock: [...ANTHROPIC, 'stop', 'tool_calls'],
  google: ['stop'],
  mistral: ['stop', 'tool_calls'],
};

/** Of hosts of OpenAI's protocol and of models that a program registers: what the engines behind them say. */
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

export function isGoodWord(provider: string, word: string): boolean {
  const { name } = providerNamed(provider);
  const words = Object.hasOwn(BY_PROVIDER, name) ? BY_PROVIDER[name] : undefined;
  return (words ?? ANYWHERE).includes(word.toLowerCase());
}
