/** Names of faults in their own words, as other languages print them. */
import { onceForEach } from '../../../errors/support/recent-texts.ts';

const PRINTED = /(?:Exception|Error|Timeout):|\b(?:kind|source): [A-Z]/;
/** Rust prints the fault as a struct, the cause as the last of its fields: `source: TimedOut }`. */
const OF_STRUCT = /\b(?:kind|source): (?:Some\()?([A-Z][A-Za-z]{3,40})\b(?![({.:]| \{)/g;

/** `java.net.SocketTimeoutException: timeout`: the class of a fault stands before its words. Many rules ask for it. */
export const printedNames = onceForEach(256, (message): readonly string[] => {
  if (!PRINTED.test(message)) return NO_NAMES;
  const head = message.slice(0, MAX_NAMING_CHARS);
  const names = head.match(/\b[A-Z]\w{2,60}(?:Exception|Error|Timeout)(?=:)/g) ?? [];
  const causes = [...head.matchAll(OF_STRUCT)].flatMap(([, name]) => name ?? []);
  return [...names.slice(0, 4), ...causes.slice(-2)];
});

const NO_NAMES: readonly string[] = [];
const MAX_NAMING_CHARS = 1024;
