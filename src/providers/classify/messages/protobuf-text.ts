/**
 * Protobuf messages as they are printed (`violations { quota_id: "…" } retry_delay { seconds: 33 }`),
 * which is how Google's client for Python shows the details of an error inside its sentence.
 */
const MAX_CHARS = 8192;
const MAX_FIELDS = 64;

const FIELD = /\b([a-z_]{2,40}):\s{0,2}(?:"([^"\n]{0,200})"|(\d{1,12}))/g;
const DURATION =
  /\b([a-z_]{2,40})\s{0,2}\{\s{0,8}(?:seconds:\s{0,2}(\d{1,9}))?\s{0,8}(?:nanos:\s{0,2}(\d{1,9}))?\s{0,8}\}/g;

/** Names and values, with durations in seconds; empty for a text without such fields. */
export function protobufFields(text: string): readonly (readonly [string, string])[] {
  const head = text.slice(0, MAX_CHARS);
  const fields: [string, string][] = [];
  for (const [, name = '', seconds, nanos] of head.matchAll(DURATION)) {
    if (seconds === undefined && nanos === undefined) continue;
    fields.push([name, `${Number(seconds ?? 0) + Number(nanos ?? 0) / 1e9}s`]);
  }
  for (const [, name = '', text = '', digits] of head.matchAll(FIELD)) {
    if (fields.push([name, digits ?? text]) >= MAX_FIELDS) break;
  }
  return fields;
}
