/** `docs/reference/classification.md`: every rule of the classifier, in the order of evaluation. */
import {
  LONG_WAIT,
  NO_RULE,
  SHORT_REFILL,
  STATED_WAIT,
} from '../../src/providers/classify/classify.ts';
import { families } from '../../src/providers/classify/phrases.ts';
import type { Conditions, Rule } from '../../src/providers/classify/rule.ts';
import { capitalised } from '../../src/workflow/diagnostics/diagnostic-words.ts';
import { RULES } from '../../src/providers/classify/table.ts';
import { WEIGHED_RULES } from '../../src/providers/classify/weighed/weigh.ts';

export const RULES_PAGE = 'docs/reference/classification.md';

export function renderRules(): string {
  return [
    '# Classification rules',
    '',
    '<!-- Generated from src/providers/classify by `npm run docs`; edit the rules, not this page. -->',
    '',
    `The ${RULES.length} rules are asked from top to bottom, and the first whose conditions all hold decides.`,
    'Certain rules come before likely ones, and structure comes before prose: a rule that reads prose',
    'is marked *low confidence* on every report. Codes are compared without case, joints and a trailing',
    '`Error` or `Exception`. Afterwards a transient verdict becomes ambiguous when a part of the answer',
    'was delivered, or when the request creates something and may have arrived.',
    '',
    'An app adds rules and vocabularies of its own with `extendClassify`; they are asked first.',
    '',
    ...RULES.flatMap(renderRule),
    '## After the rules',
    '',
    'Two conclusions need no condition of their own: a rate limit whose hint is half a day or longer, with',
    'no shorter window in its words, is a spent quota; and what no rule recognises is unknown.',
    '',
    ...[LONG_WAIT, SHORT_REFILL, STATED_WAIT, NO_RULE].flatMap(renderRule),
    '## Outweighed',
    '',
    'Where words decided, or a status alone, or no rule at all, all signs of the failure are weighed together: words',
    'and pairs of words, codes and their words, the status, concepts and families. The weights are learned from the',
    'corpora by `npm run weigh`. Another conclusion takes the place of that of the rule where it is clearly likelier:',
    'four times over a status, phrases or concepts, ten times over words of codes, twenty times over the status of',
    'a fault. The evidence names the rule that was outweighed (`over=…`) and the words that spoke loudest. Codes in',
    'full, headers, faults of the transport and rules of the app are never outweighed.',
    '',
    ...WEIGHED_RULES.flatMap(({ id, means }) => [
      `- \`${id}\`: \`${means.kind}\`${means.category === undefined ? '' : `, category \`${means.category}\``}`,
    ]),
    '',
    '## Phrase families',
    '',
    'The stems that each family looks for; where several are joined by `+`, all must occur.',
    '',
    ...Object.entries(families()).map(
      ([name, phrases]) => `- **${name}**: ${phraseWords(phrases)}`,
    ),
    '',
  ].join('\n');
}

function renderRule({ id, when, means, why }: Rule): string[] {
  const category = means.category === undefined ? '' : `, category \`${means.category}\``;
  const outcome = means.outcome === undefined ? '' : `, outcome \`${means.outcome}\``;
  return [
    `### ${id}`,
    '',
    `\`${means.kind}\`${category}${outcome}; scope \`${means.scope}\`, recovery \`${means.recovery}\`. ${capitalised(why)}.`,
    '',
    ...Object.entries(when).map(
      ([name, value]) => `- ${conditionWords(name as keyof Conditions, value)}`,
    ),
    '',
  ];
}

/** A combination of concepts is an object; all other items are words or numbers. */
function itemWords(item: unknown): string {
  if (typeof item !== 'object' || item === null || !('all' in item)) return String(item);
  return Array.isArray(item.all) ? item.all.join(' + ') : String(item.all);
}

function conditionWords(name: keyof Conditions, value: unknown): string {
  const label = LABELS[name];
  if (value instanceof RegExp) return `${label}: \`${value.source.replaceAll('|', '\\|')}\``;
  if (Array.isArray(value))
    return `${label}: ${value.map((item) => `\`${itemWords(item)}\``).join(', ')}`;
  if (typeof value === 'object' && value !== null) return `${label}: \`${JSON.stringify(value)}\``;
  return value === true ? label : `${label}: \`${String(value)}\``;
}

const LABELS: Readonly<Record<keyof Conditions, string>> = {
  providers: 'provider',
  findings: 'the SDK concluded',
  statuses: 'status',
  statusRange: 'status from and to',
  codes: 'code',
  notCodes: 'none of the codes',
  codeEndings: 'code ending in',
  codeParts: 'code containing',
  params: 'parameter',
  mentions: 'the prose mentions',
  says: 'the prose says, by concepts',
  codeSays: 'the words of a code say',
  phrases: 'phrase of family',
  phrasesToo: 'and phrase of family',
  notPhrases: 'no phrase of family',
  quota: 'quota',
  asksMoreThanLimit: 'the request alone asks for more than the limit it names',
  stops: 'stop reason',
  stopSays: 'the words of a stop reason say',
  header: 'header',
  transportCodes: 'transport code',
  transportCodePrefixes: 'transport code beginning with',
  transportNames: 'transport error named',
  transportText: 'transport message',
  forms: 'form of the body',
  phases: 'phase',
  emptyAnswer: 'an answer with nothing in it',
  unfinished: 'a stream without its end',
  reasonless: 'no reason is given',
  bareStatus: 'the body only repeats the name of the status',
  hasStatus: 'has a status',
  hasTransport: 'has a transport fault',
};

function phraseWords(phrases: readonly (string | readonly string[])[]): string {
  return phrases
    .map((phrase) =>
      typeof phrase === 'string'
        ? `“${phrase.trim()}”`
        : phrase.map((stem) => `“${stem}”`).join(' + '),
    )
    .join(', ');
}
