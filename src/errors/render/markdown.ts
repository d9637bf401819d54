/** A report in Markdown, for pull requests, chat and agents that read prose. */
import { jsonText } from '../support/printable.ts';
import { forPerson } from '../report/audiences.ts';
import type { ErrorReport } from '../report/report.ts';
import { codeMarkdown, escapeMarkdown } from './escape-markdown.ts';
import * as words from './report-words.ts';

/**
 * A report as Markdown, for pull requests and chat.
 * @example
 * ```ts
 * import { failure, renderMarkdown } from 'errand';
 *
 * const text = renderMarkdown(failure('order.missing', 'No such order').report);
 * console.log(text.includes('No such order')); // true
 * ```
 */
export function renderMarkdown(report: ErrorReport): string {
  const shown = forPerson(report);
  const group = words.groupWords(shown);
  const facts: (readonly [string, string | undefined])[] = [
    ['Category', words.categoryWords(shown)],
    ['Retryable', words.retryableWords(shown)],
    ['Outcome', shown.outcome],
    ['Where', code(words.locationWords(shown.location))],
    ['Via', code(words.boundaryWords(shown))],
    ['Provider', escape(words.providerWords(shown))],
    ['Rule', escape(words.ruleWords(shown))],
    ['Attempt', words.attemptCount(shown.attempt)],
    ['Declared by the node', shown.undeclared === true ? 'no' : undefined],
    ['Correlation id', code(shown.id)],
    ['Failed members', escape(group.counts)],
  ];
  const members = group.members.map(
    ({ name, kind, message }) => `- ${escape(name)}: ${code(kind)}: ${escape(message)}`,
  );
  const attempts = (shown.attempts ?? []).map((it) => `- ${escape(words.attemptWords(it))}`);
  const causes = words
    .causesOf(shown)
    .map((cause) => `- ${code(cause.kind)}: ${escape(cause.message)}`);
  return [
    `### ${escape(shown.title)}: ${code(shown.kind)}`,
    escape(shown.message),
    `> **Next** (${code(shown.action.kind)}): ${escape(shown.action.detail)}`,
    facts
      .flatMap(([name, value]) => (value === undefined ? [] : [`- ${name}: ${value}`]))
      .join('\n'),
    section('Members', group.unlisted > 0 ? [...members, `- and ${group.unlisted} more`] : members),
    section('Attempts', attempts),
    section('Causes', causes),
    details(group.others),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
    .concat('\n');
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `**${title}**\n\n${lines.join('\n')}`;
}

function details(value: NonNullable<ErrorReport['details']>): string {
  if (Object.keys(value).length === 0) return '';
  const json = jsonText(value, 2);
  const longest = Math.max(2, ...(json.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `**Details**\n\n${fence}json\n${json}\n${fence}`;
}

function code(text: string): string;
function code(text: string | undefined): string | undefined;
function code(text: string | undefined): string | undefined {
  return text === undefined ? undefined : codeMarkdown(text);
}

function escape(text: string): string;
function escape(text: string | undefined): string | undefined;
function escape(text: string | undefined): string | undefined {
  return text === undefined ? undefined : escapeMarkdown(text);
}
