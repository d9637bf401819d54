/**
 * The secret parts of an address. Services put a token into the path
 * (`https://hooks.example.com/mcp/TOKEN`), into the query or before the host, and errors may print
 * any of these alone. The host itself is not secret.
 */
import { isTrivial } from '../../errors/redaction/redact.ts';
import { isSecretSetting } from '../../errors/redaction/secret-names.ts';
import { isPlainWords } from './plain-words.ts';

const ADDRESS =
  /^[a-z][a-z0-9+.-]*:\/\/(?:([^\s/?#]*)@)?[^\s/?#@]*([^\s?#]*)(?:\?([^\s#]*))?(?:#(\S*))?$/i;

/** A password may contain any character, even those that end the host. */
const PASSWORD = /^[a-z][a-z0-9+.-]*:\/\/[^\s/:@]*:([^\s/]+)@/i;

/** A shorter segment is a word of the address, as `mcp` and `v1`. */
const MIN_SEGMENT_CHARS = 8;

export function isAddress(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\/\S*$/i.test(text.trim());
}

/** Empty for an address without secrets, and for text that is not an address. */
export function secretPartsOfAddress(text: string): readonly string[] {
  const address = text.trim();
  const [, user = '', path = '', query = '', fragment = ''] = ADDRESS.exec(address) ?? [];
  const password = PASSWORD.exec(address)?.[1];
  const parts = [
    ...(password === undefined ? [user] : [password]),
    ...path
      .split('/')
      .flatMap((segment) => segment.split(';'))
      .filter(isTellingSegment),
    ...query.split(/[&;]/).flatMap(valueOfQuery),
    ...fragment.split(/[/&]/).flatMap(valueOfQuery),
  ];
  return [...new Set(parts.flatMap(withDecoded))].filter((part) => !isTrivial(part));
}

function valueOfQuery(pair: string): readonly string[] {
  const at = pair.indexOf('=');
  const value = pair.slice(at + 1);
  const isNamed = at > 0 && isSecretSetting(pair.slice(0, at));
  return isNamed || isTellingSegment(value) ? [value] : [];
}

function isTellingSegment(segment: string): boolean {
  return segment.length >= MIN_SEGMENT_CHARS && !isPlainWords(segment);
}

function withDecoded(part: string): readonly string[] {
  if (!part.includes('%')) return [part];
  try {
    return [part, decodeURIComponent(part)];
  } catch {
    // not encoded: the sign is part of it
    return [part];
  }
}
