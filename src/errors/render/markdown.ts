/** For pull requests, chat and agents that read prose. */
import { forPerson } from '../project.ts';
import type { ErrorReport } from '../report.ts';
import {
  attemptWords,
  categoryWords,
  causesOf,
  locationWords,
  providerWords,
  retryableWords,
} from './words.ts';

export function renderMarkdown(report: ErrorReport): string {
  const shown = forPerson(report);
  const facts: (readonly [string, string | undefined])[] = [
    ['Category', categoryWords(shown)],
    ['Retryable', retryableWords(shown)],
    ['Outcome', shown.outcome],
    ['Where', code(locationWords(shown.location))],
    ['Provider', escape(providerWords(shown))],
    ['Correlation id', code(shown.id)],
  ];
  const attempts = (shown.attempts ?? []).map((attempt) => `- ${escape(attemptWords(attempt))}`);
  const causes = causesOf(shown).map((cause) => `- ${code(cause.kind)}: ${escape(cause.message)}`);
  return [
    `### ${escape(shown.title)}: ${code(shown.kind)}`,
    escape(shown.message),
    `> **Next** (${code(shown.action.kind)}): ${escape(shown.action.detail)}`,
    facts.flatMap(([name, value]) => (value === undefined ? [] : [`- ${name}: ${value}`])).join('\n'),
    section('Attempts', attempts),
    section('Causes', causes),
    details(shown.details),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
    .concat('\n');
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `**${title}**\n\n${lines.join('\n')}`;
}

function details(value: ErrorReport['details']): string {
  if (value === undefined) return '';
  const json = JSON.stringify(value, null, 2);
  const longest = Math.max(2, ...(json.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `**Details**\n\n${fence}json\n${json}\n${fence}`;
}

function code(text: string): string;
function code(text: string | undefined): string | undefined;
function code(text: string | undefined): string | undefined {
  return text === undefined ? undefined : `\`${text.replaceAll('`', "'")}\``;
}

function escape(text: string): string;
function escape(text: string | undefined): string | undefined;
function escape(text: string | undefined): string | undefined {
  return text?.replace(/[\\`*_[\]<>#|]/g, '\\$&').replace(/\n+/g, ' ');
}
