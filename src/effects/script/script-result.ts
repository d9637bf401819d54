/**
 * The result of a script from how it ended.
 *
 * | event                               | result                                    | outcome |
 * |-------------------------------------|-------------------------------------------|---------|
 * | our signal, which killed it, or which it handled and then ended | `cancelled.*`   | unknown |
 * | our signal, which it ignored, or an error file or a declared output after it | as below | as below |
 * | a usable error file, however it ended | the kind in it                          | failed; partial at a timeout |
 * | an unusable one                     | `internal.envelope_invalid`               | failed; partial at a timeout |
 * | timeout                             | `internal.script_timeout`                 | partial |
 * | a signal from outside               | `internal.script_error`                   | failed  |
 * | a failing exit code                 | `internal.script_error`                   | failed  |
 * | success, but stdout was cut         | `internal.output_too_large`, unless allowed | failed |
 * | success, but stdout violates its schema, or has a key twice or a number that would lose digits | `internal.schema_violation` | failed |
 * | success                             | the output                                |         |
 * | success, but a leftover process held stdout | the output, and a warning beside it | |
 *
 * Every result includes what was printed. Errand's own keys (`exit_code`, `stdout`, `stderr`, the cut
 * sizes) win over keys of the same name that the script prints.
 */
import { isUtf8 } from 'node:buffer';
import { isJsonObject, type JsonObject, type JsonValue } from '../../errors/support/safe-json.ts';
import type { Redactor } from '../../errors/redaction/redact.ts';
import type { ReportDraft } from '../../errors/report/report.ts';
import {
  describeInexact,
  keepsDigits,
  readJson,
  type Inexact,
  type ReadJson,
} from '../../workflow/json-schema/exact-number.ts';
import { checkValue } from '../../workflow/json-schema/check-value.ts';
import type { OutputText } from '../process/bounded-output.ts';
import type { EffectContext, EffectResult, Suppressed } from '../effect-port.ts';
import type { FileReading } from './error-file.ts';
import { AS_IT_IS, toOutput } from '../../machine/state/stored-output.ts';
import { describeFindings } from '../schema-violation.ts';
import type { ScriptRequest } from './script-effect.ts';
import type { ProcessEnd } from './script-process.ts';
import { tellingLine } from './telling-line.ts';

const TAIL_CHARS = 2000;

type Ended = Extract<ProcessEnd, { started: true }>;

interface Printed {
  readonly stdout: OutputText;
  /** Without secrets, including those recognised only by their pattern. */
  readonly stderr: OutputText;
  readonly parsed: Parsed;
}

/** The object on stdout, as printed and redacted, or why there is none. */
type Parsed =
  | { readonly object: JsonObject; readonly keys: JsonObject }
  | { readonly object?: undefined; readonly problem: string; readonly inexact?: Inexact };

interface Case {
  readonly request: ScriptRequest;
  readonly context: EffectContext;
}

export function toScriptResult(
  end: Ended,
  file: FileReading,
  { request, context }: Case,
): EffectResult {
  const printed = readPrinted(end, context);
  const output = outputOf(end, printed);
  const failure = failureOf(end, file, { request, context, printed });
  return failure === undefined
    ? { ok: true, output, ...besides([...suppressedOf(printed), ...cutShort(end)]) }
    : { ok: false, failure, output, ...(UNUSABLE.has(failure.kind) ? { isUnusable: true } : {}) };
}

/** A script cannot raise these itself, because they are reserved. */
const UNUSABLE: ReadonlySet<string> = new Set([
  'internal.output_too_large',
  'internal.schema_violation',
]);

/** The recorded output of an earlier run, where it passes all checks as they are now. */
export function recheckOutput(
  recorded: JsonValue,
  request: ScriptRequest,
): EffectResult | undefined {
  if (!isJsonObject(recorded)) return undefined;
  const { stdout, exit_code: exitCode, stdout_cut_bytes: cutBytes = 0 } = recorded;
  const isAccepted =
    typeof stdout === 'string' &&
    typeof exitCode === 'number' &&
    isAnswer({ exitCode }, request) &&
    (cutBytes === 0 || request.keepsTruncated === true) &&
    offSchema(parsedAgain(stdout, cutBytes), request, {}) === undefined;
  return isAccepted ? { ok: true, output: recorded, isReplayed: true } : undefined;
}

/** Without secrets, which were removed before it was recorded. */
function parsedAgain(stdout: string, cutBytes: JsonValue): Parsed {
  return cutBytes === 0 ? parseObject(stdout, AS_IT_IS) : { problem: 'is too long to be parsed' };
}

function readPrinted(end: Ended, { redactor }: EffectContext): Printed {
  const stdout = end.stdout.text((text) => redactor.values(text));
  const stderr = end.stderr.text((text) => redactor.text(text));
  const whole = end.stdout.whole();
  const parsed =
    whole === undefined ? { problem: 'is too long to be parsed' } : parseBytes(whole, redactor);
  return { stdout, stderr, parsed };
}

/** Bytes that are no text would silently become other values. */
function parseBytes(bytes: Buffer, redactor: Redactor): Parsed {
  return isUtf8(bytes)
    ? parseObject(bytes.toString(), redactor)
    : { problem: 'is not text in UTF-8' };
}

function parseObject(text: string, redactor: Redactor): Parsed {
  const json = text.replace(/^\uFEFF/, '');
  if (json.trim() === '') return { problem: 'is empty' };
  const read = readWhole(json);
  if (read === undefined) return { problem: 'is not JSON' };
  const { value: object, inexact } = read;
  if (!isJsonObject(object)) return { problem: 'is JSON, but not an object' };
  if (inexact !== undefined) return { problem: describeInexact(inexact), inexact };
  const keys = toOutput(object, redactor);
  if (!keys.ok) return { problem: `is JSON that ${keys.problem}` };
  // true: the output of an object is an object
  return { object, keys: keys.value as JsonObject };
}

function readWhole(json: string): ReadJson | undefined {
  try {
    return readJson(json, keepsDigits);
  } catch {
    // not JSON, so it stays text
    return undefined;
  }
}

function besides(suppressed: readonly Suppressed[]): {
  readonly suppressed?: readonly Suppressed[];
} {
  return suppressed.length === 0 ? {} : { suppressed };
}

/** Keeps the output that was read, and warns that there may have been more. */
function cutShort({ isCutShort }: Ended): readonly Suppressed[] {
  if (!isCutShort) return [];
  const failure = {
    kind: 'internal.script_error',
    message:
      'The script ended, but a process that it had started still held its stdout: the output may be incomplete',
    action: {
      kind: 'fix_code',
      detail: 'Let the script wait for its child processes, or redirect their output.',
    },
  } as const;
  return [{ failure, reason: 'the output ends where reading stopped', isWarning: true }];
}

/** Records why keys of stdout are missing from the output. */
function suppressedOf(printed: Printed): readonly Suppressed[] {
  const { parsed } = printed;
  if (parsed.object !== undefined) return claimedNames(parsed.object);
  if (parsed.inexact === undefined) return [];
  const { inexact: details } = parsed;
  const failure = {
    kind: 'internal.schema_violation',
    ...inexactIn(parsed),
    details: { ...details },
  } as const;
  return [{ failure, reason: 'its stdout was kept as text only' }];
}

function claimedNames(object: JsonObject): readonly Suppressed[] {
  const names = Object.keys(object).filter((name) => OWN_NAMES.has(name));
  if (names.length === 0) return [];
  const message = `The stdout of the script has ${names.join(', ')}, which are keys that Errand sets itself`;
  const failure = { kind: 'internal.schema_violation', message, details: { names } } as const;
  return [{ failure, reason: 'the values that the script printed were left out' }];
}

function inexactIn({
  problem,
  inexact,
}: Extract<Parsed, { object?: undefined }>): Pick<ReportDraft, 'message' | 'action'> {
  return {
    message: `The stdout of the script ${problem}`,
    action: {
      kind: 'fix_code',
      detail:
        inexact?.isRepeated === true
          ? 'Let the script print each key once.'
          : 'Let the script print the number in quotes, so that its digits are kept.',
    },
  };
}

function outputOf(end: Ended, { stdout, stderr, parsed }: Printed): JsonObject {
  const printed = Object.entries(parsed.object === undefined ? {} : parsed.keys);
  return Object.fromEntries<JsonValue>([
    ['stdout', stdout.text],
    ['stderr', stderr.text],
    ['exit_code', end.exitCode],
    ...Object.entries(cutsOf(stdout, stderr)),
    ...printed.filter(([name]) => !OWN_NAMES.has(name)),
  ]);
}

/** Reserved keys: with these a failing script could claim success. */
const OWN_NAMES: ReadonlySet<string> = new Set([
  'stdout',
  'stderr',
  'exit_code',
  'stdout_cut_bytes',
  'stdout_not_utf8',
  'stderr_cut_bytes',
]);

/** Only keys for output that was cut or was not UTF-8. */
function cutsOf(stdout: OutputText, stderr: OutputText): JsonObject {
  return {
    ...(stdout.cutBytes > 0 ? { stdout_cut_bytes: stdout.cutBytes } : {}),
    ...(stdout.isLossy ? { stdout_not_utf8: true } : {}),
    ...(stderr.cutBytes > 0 ? { stderr_cut_bytes: stderr.cutBytes } : {}),
  };
}

function failureOf(
  end: Ended,
  file: FileReading,
  { request, context, printed }: Case & { readonly printed: Printed },
): ReportDraft | undefined {
  const facts = factsOf(end, printed, request);
  if (end.endedBy === 'abort' && isCutOff(end, file, { request, printed })) {
    const kind = context.cancelled ?? 'cancelled.tool';
    return {
      kind,
      message: 'The script was cancelled while it ran',
      outcome: 'unknown',
      details: facts,
    };
  }
  const outcome = end.endedBy === 'timeout' ? ({ outcome: 'partial' } as const) : {};
  if (file.type === 'raised') return { ...file.envelope, ...outcome };
  if (file.type === 'invalid') {
    const { problem, kind } = file;
    return {
      kind: 'internal.envelope_invalid',
      message: `The error file that the script wrote ${problem}`,
      ...outcome,
      details: { problem, ...(kind === undefined ? {} : { kind }), ...facts },
    };
  }
  if (end.endedBy === 'timeout') {
    const message = 'The script ran longer than its time limit and was stopped';
    return { kind: 'internal.script_timeout', message, ...outcome, details: facts };
  }
  if (!isAnswer(end, request)) {
    const message = tellingLine(printed.stderr.text) ?? sentenceFor(end);
    return { kind: 'internal.script_error', message, details: facts };
  }
  return tooLarge(printed, request, facts) ?? offSchema(printed.parsed, request, facts);
}

/** A cut stdout is a failure. Stderr is only a log, so a cut there is not. */
function tooLarge(
  { stdout: { text, cutBytes } }: Printed,
  { keepsTruncated = false }: ScriptRequest,
  facts: JsonObject,
): ReportDraft | undefined {
  if (cutBytes === 0 || keepsTruncated) return undefined;
  return {
    kind: 'internal.output_too_large',
    message: `The script printed ${cutBytes} bytes more to stdout than the limit of ${Buffer.byteLength(text)}`,
    details: facts,
  };
}

/**
 * Whether our signal ended the work. A program that handles TERM exits with any code, even 0,
 * wherever it was; only an error file or the declared output proves more, from a program that knew
 * of the signal.
 */
function isCutOff(
  end: Ended,
  file: FileReading,
  { request, printed }: Pick<Case, 'request'> & { readonly printed: Printed },
): boolean {
  if (isKilled(end) || end.reach === 'children') return true;
  if (end.reach === 'nobody' || file.type === 'raised') return false;
  const saysResult = request.outputSchema !== undefined && isAnswer(end, request);
  return !saysResult || offSchema(printed.parsed, request, {}) !== undefined;
}

function isKilled({ exitCode, isGone }: Ended): boolean {
  return !isGone || exitCode === null || KILLED_CODES.has(exitCode);
}

/** Exit codes of a shell or a runtime whose child was ended by TERM or KILL. */
const KILLED_CODES: ReadonlySet<number> = new Set([143, 137]);

function factsOf(end: Ended, { stdout, stderr }: Printed, { command }: ScriptRequest): JsonObject {
  return {
    exit_code: end.exitCode,
    signal: end.signal,
    command,
    stderr_tail: stderr.text.slice(-TAIL_CHARS).toWellFormed(),
    ...cutsOf(stdout, stderr),
    ...(end.isGone ? {} : { still_running: true }),
  };
}

function isAnswer({ exitCode }: Pick<Ended, 'exitCode'>, { exitCodes }: ScriptRequest): boolean {
  return exitCode !== null && (exitCodes === 'any' || exitCodes.includes(exitCode));
}

function sentenceFor({ exitCode, signal }: Ended): string {
  return exitCode === null
    ? `The script was killed by ${signal ?? 'a signal'}`
    : `The script ended with exit code ${exitCode}`;
}

function offSchema(
  parsed: Parsed,
  request: ScriptRequest,
  facts: JsonObject,
): ReportDraft | undefined {
  if (request.outputSchema === undefined) return undefined;
  const kind = 'internal.schema_violation';
  if (parsed.object === undefined && parsed.inexact !== undefined) {
    return { kind, ...inexactIn(parsed), details: { ...parsed.inexact, ...facts } };
  }
  if (parsed.object === undefined) {
    const message = `The stdout of the script must be one JSON object: it ${parsed.problem}`;
    return { kind, message, details: { problem: parsed.problem, ...facts } };
  }
  const findings = checkValue(request.outputSchema, parsed.object);
  if (findings.length === 0) return undefined;
  const { message, details } = describeFindings('The stdout of the script', findings);
  return { kind, message, details: { ...details, ...facts } };
}
