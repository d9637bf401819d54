/**
 * Escapes foreign text for Markdown: one line, without anything that Markdown or HTML would
 * interpret.
 */
import { oneLine, singleLine } from '../support/printable.ts';

export function escapeMarkdown(text: string): string {
  return (
    oneLine(singleLine(text))
      .replace(/[\\`*[\]<>#|~&]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|^[-+=](?= )/g, '\\$&')
      .replace(/^(\d+)([.)])(?= )/, '$1\\$2')
      // addresses that would become links by themselves
      .replace(/:(?=\/\/)|(?<=\bwww)\.|@|(?<=\b(?:mailto|xmpp)):/gi, '\\$&')
  );
}

/** A span of code, where only a backtick needs replacing. */
export function codeMarkdown(text: string): string {
  return `\`${oneLine(text).replaceAll('`', "'")}\``;
}
