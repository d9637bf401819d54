/**
 * Formats of JSON Schema that are checked; others are ignored. Each check takes one pass over the text:
 * none of these expressions backtracks.
 */

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const TIME = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:z|([+-])(\d\d):(\d\d))$/i;
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;
const DURATION =
  /^P(?:\d+W|(?=[\dT])(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+S)?)?)$/;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;
const MAILBOX = /^(?:"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\[\x20-\x7e])*"|[\w.!#$%&'*+/=?^`{|}~-]+)$/;
const BYTE = /^(?:25[0-5]|2[0-4]\d|[01]?\d?\d)$/;
const QUARTER = /^[\da-f]{1,4}$/i;
const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i;
const POINTER = /^(?:\/(?:[^~/]|~[01])*)*$/;
const SCHEME = /^[a-z][a-z\d+.-]*:/i;
const ADDRESS = /^(?:[\w.~!$&'()*+,;=:@/?[\]-]|%[\da-f]{2})*$/i;
const WEB = /^(?:https?|ftp):\/\/[^\s/?#]+(?:[/?#]\S*)?$/iu;
const TEMPLATE_NAME = /^(?:[\w]|%[\da-f]{2}|\.(?=\w|%))+(?::[1-9]\d{0,3}|\*)?$/i;

export const FORMATS: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ['date', isDate],
  ['time', isTime],
  ['date-time', isDateTime],
  ['duration', (text) => DURATION.test(text)],
  ['email', isEmail],
  ['hostname', isHostname],
  ['ipv4', isIpv4],
  ['ipv6', isIpv6],
  ['uri', (text) => SCHEME.test(text) && isReference(text)],
  ['uri-reference', isReference],
  ['uri-template', isTemplate],
  ['url', (text) => WEB.test(text)],
  ['uuid', (text) => UUID.test(text)],
  ['json-pointer', (text) => POINTER.test(text)],
  ['relative-json-pointer', isRelativePointer],
  ['json-pointer-uri-fragment', (text) => text.startsWith('#/') || text === '#'],
  ['regex', isExpression],
]);

function isDate(text: string): boolean {
  const [, year, month, day] = (DATE.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined) return false;
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const last = month === 2 && isLeap ? 29 : DAYS[month - 1];
  return last !== undefined && day >= 1 && day <= last;
}

function isTime(text: string): boolean {
  const found = TIME.exec(text);
  if (found === null) return false;
  const [hour = 0, minute = 0, second = 0] = found.slice(1, 4).map(Number);
  const [offsetHour, offsetMinute] = [Number(found[5] ?? 0), Number(found[6] ?? 0)];
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return false;
  if (second < 60) return true;
  // a leap second is the last second of a day in UTC
  const offset = (offsetHour * 60 + offsetMinute) * (found[4] === '-' ? -1 : 1);
  return (hour * 60 + minute - offset + 2 * 1440) % 1440 === 1439;
}

function isDateTime(text: string): boolean {
  const [date = '', time = '', more] = text.split(/[t\s]/i);
  return more === undefined && isDate(date) && isTime(time);
}

function isHostname(text: string): boolean {
  return text.length <= 253 && text.split('.').every((label) => LABEL.test(label));
}

function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@');
  const [name, host] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)];
  if (name === '' || name.length > 64 || host.length > 253 || !MAILBOX.test(name)) return false;
  if (!name.startsWith('"') && (/^\.|\.$/.test(name) || name.includes('..'))) return false;
  if (!host.startsWith('[')) return isHostname(host);
  const address = host.slice(1, -1);
  return host.endsWith(']') && (isIpv4(address) || isIpv6(address.replace(/^ipv6:/i, '')));
}

function isIpv4(text: string): boolean {
  const bytes = text.split('.', 5);
  return bytes.length === 4 && bytes.every((byte) => BYTE.test(byte));
}

function isIpv6(text: string): boolean {
  const [head = '', tail, more] = text.split('::', 3);
  if (more !== undefined) return false;
  const before = head === '' ? [] : head.split(':', 9);
  const after = tail === undefined || tail === '' ? [] : tail.split(':', 9);
  const parts = [...before, ...after];
  const last = parts.at(-1) ?? '';
  const hasBytes = last.includes('.');
  if (hasBytes && (!isIpv4(last) || (tail !== undefined && after.length === 0))) return false;
  const quarters = hasBytes ? parts.slice(0, -1) : parts;
  const count = quarters.length + (hasBytes ? 2 : 0);
  return (
    quarters.every((part) => QUARTER.test(part)) && (tail === undefined ? count === 8 : count < 8)
  );
}

/** Only an IPv6 address has brackets around it. */
function isReference(text: string): boolean {
  const [address = '', fragment = '', more] = text.split('#', 3);
  if (more !== undefined || !ADDRESS.test(address) || !ADDRESS.test(fragment)) return false;
  const host = /^[^/?]*\/\/(?:[^/?@]*@)?(\[[^\]]*\])?/.exec(address)?.[1] ?? '';
  const brackets = `${address}${fragment}`.split(/[[\]]/).length - 1;
  if (host === '') return brackets === 0;
  return brackets === 2 && (isIpv6(host.slice(1, -1)) || /^\[v[\da-f]+\./i.test(host));
}

function isTemplate(text: string): boolean {
  const parts = text.split(/[{}]/);
  const signs = text.replace(/[^{}]+/g, '');
  if (signs !== '{}'.repeat(signs.length / 2)) return false;
  return parts.every((part, index) =>
    index % 2 === 0
      ? /^(?:[^\x00-\x20\x7f"<>%\\^`|]|%[\da-f]{2})*$/i.test(part)
      : part
          .replace(/^[+#./;?&=,!@|]/, '')
          .split(',')
          .every((name) => TEMPLATE_NAME.test(name)),
  );
}

function isRelativePointer(text: string): boolean {
  const found = /^(?:0|[1-9]\d*)(.*)$/s.exec(text);
  return found !== null && (found[1] === '#' || POINTER.test(found[1] ?? ''));
}

function isExpression(text: string): boolean {
  if (/[^\\]\\Z/.test(text)) return false;
  try {
    return new RegExp(text, 'u').source.length >= 0;
  } catch {
    return false;
  }
}
