/**
 * The line of stderr that tells why a script failed. Runtimes print the thrown error above its stack, and
 * often a last line of their own, such as `Node.js v24.1.0`. Where no runtime is recognised, the last
 * line counts. Reads forms only; it decides no kind.
 */
import { printable } from '../../errors/support/printable.ts';

/** A stack of a panic is long; more than this is not looked at. */
const MAX_CHARS = 65_536;

/** The lines of stderr, without blank ones at the end; undefined where the form is not theirs. */
type Rule = (lines: readonly string[]) => string | undefined;

/** Undefined where nothing was printed. */
export function tellingLine(stderr: string): string | undefined {
  return tell(printable(stderr.slice(-MAX_CHARS)).split('\n'), [npmError, ...RULES]);
}

function tell(printed: readonly string[], rules: readonly Rule[]): string | undefined {
  const lines = withoutNoise(printed);
  for (const rule of rules) {
    const line = rule(lines)?.trim();
    if (line !== undefined && line !== '') return line;
  }
  return lines.findLast(isPrinted)?.trim();
}

/** Lines that runtimes and tools add after the failure. */
const NOISE =
  /^(?:Node\.js v\d|\(Use `node --trace-|exit status \d+$|g?make(?:\[\d+\])?: \*\*\* \[.*\] Error \d+$|note: run with `RUST_BACKTRACE|----- Native stack trace -----| *\d+: 0x[0-9a-f]+ )/;

function withoutNoise(lines: readonly string[]): readonly string[] {
  const last = lines.findLastIndex((line) => isPrinted(line) && !NOISE.test(line));
  // a script that printed nothing else
  return last === -1 ? lines : lines.slice(0, last + 1);
}

function isPrinted(line: string): boolean {
  return line.trim() !== '';
}

const RULES: readonly Rule[] = [
  compilerError,
  uncaughtInNode,
  pythonTraceback,
  goPanic,
  rustPanic,
  stack,
  traced,
];

const OF_NPM = /^npm (?:error|ERR!|warn|WARN|notice)(?: |$)/;
const ERROR_OF_NPM = /^npm (?:error|ERR!)/;
const DETAIL_OF_NPM = /^npm \S+\s*(?:$|(?:code|errno|syscall|path) )/;
const SCRIPT_FAILED = /^npm \S+ (?:Lifecycle script `|code ELIFECYCLE$)/;

/** The first of npm's own lines that says something, unless npm only repeats that a script failed. */
function npmError(lines: readonly string[]): string | undefined {
  if (!ERROR_OF_NPM.test(lines.at(-1) ?? '')) return undefined;
  const start = lines.findLastIndex((line) => !OF_NPM.test(line)) + 1;
  const own = lines.slice(start);
  const above = own.some((line) => SCRIPT_FAILED.test(line)) ? lines.slice(0, start) : [];
  return (
    tell(above, RULES) ?? own.find((line) => ERROR_OF_NPM.test(line) && !DETAIL_OF_NPM.test(line))
  );
}

/** The end of what javac, gcc, clang, rustc and cargo print: counts, a verdict, a note or source lines. */
const END_OF_COMPILER =
  /^\d+ (?:errors?|warnings?)\b|^compilation terminated\.$|^error: (?:compilation failed$|aborting due to |could not compile )|^For more information about this error|^\S+:\d+(?::\d+)?: note: |^\s+(?:\d+ )?\| |^\s*\^[~^]*$/;
const COMPILER_ERROR = /^(?:\S+: (?:fatal )?error: |error(?:\[\w+\])?: )/;

/** The first error: the others often follow from it. */
function compilerError(lines: readonly string[]): string | undefined {
  if (!END_OF_COMPILER.test(lines.at(-1) ?? '')) return undefined;
  return lines.find((line) => COMPILER_ERROR.test(line));
}

/** The line after the source line and its carets, up to the end. */
function uncaughtInNode(lines: readonly string[]): string | undefined {
  const caret = lines.findLastIndex((line) => /^\s*\^+\s*$/.test(line));
  if (caret < 2 || !/^\S.*:\d+$/.test(lines[caret - 2] ?? '')) return undefined;
  const below = lines.slice(caret + 1).filter(isPrinted);
  const [first = ''] = below;
  // for TypeScript without a file, the compiler's words stand above the error
  const error = ERROR.test(below[1] ?? '') && FRAME.test(below[2] ?? '') ? below[1] : undefined;
  const thrown = /^\S+: /.test(first) ? first : (error ?? first);
  const [, sentence, reason = ''] = REJECTION.exec(thrown) ?? [];
  if (sentence === undefined) return thrown;
  return SAYS_NOTHING.test(reason) ? sentence : reason;
}

const REJECTION =
  /^\[?UnhandledPromiseRejection: .* (The promise rejected with the reason "(.*)"\.?)/;
/** A value that is no text and no error. */
const SAYS_NOTHING = /^(?:#<.*>|\[object .*\]|undefined|null|true|false|NaN|-?\d[\d.]*|)$/;

/**
 * A message or a note may span several lines, so the error is the first line after the last stack.
 */
function pythonTraceback(lines: readonly string[]): string | undefined {
  const group = lines.findLastIndex((line) => /^ {2}\+ Exception Group Traceback \(/.test(line));
  const plain = lines.findLastIndex((line) => line.startsWith('Traceback (most recent call last)'));
  const start = Math.max(group, plain);
  if (start === -1 || isVerdict(lines.at(-1) ?? '')) return undefined;
  return lines
    .slice(start + 1)
    .map((line) => (start === group ? line.replace(/^ {2}\| /, '') : line))
    .find((line) => isPrinted(line) && !/^\s/.test(line));
}

/** A line in which a script sums up a failure after printing its stack. */
function isVerdict(line: string): boolean {
  return /^(?:\S+: )?(?:fatal|error|abort(?:ed|ing)?)\b/i.test(line);
}

/** The latest of nested panics, which comes first; also fatal errors of the runtime. */
function goPanic(lines: readonly string[]): string | undefined {
  const stackAt = lines.findIndex((line) => /^goroutine \d+ (?:gp=\S+ .*)?\[/.test(line));
  if (stackAt === -1) return undefined;
  return lines.slice(0, stackAt).findLast((line) => /^\s*(?:panic|fatal error): /.test(line));
}

function rustPanic(lines: readonly string[]): string | undefined {
  const at = lines.findLastIndex((line) => /^thread '.*' .*panicked at .*:$/.test(line));
  return at === -1 ? undefined : lines[at + 1];
}

/** Frames of JavaScript, Java, .NET and Ruby, and the lines between them. */
const FRAME = /^\s+(?:at|from) \S|^\s+\.\.\. \d+ (?:more|levels|lines)\b/;
const BETWEEN = /^\s|^[}\])]+$|^(?:Caused by|Suppressed): /;
const ERROR =
  /^(?:Exception in thread "[^"]*" |Unhandled exception\. |Uncaught )?[A-Za-z_$][\w.$]*(?:Error|Exception)(?: \[[^\]]*\])?(?::|$)/;
const RAISED_IN_RUBY = /^\S+:\d+:in .+ \([A-Z]\w*(?:::\w+)*\)$/;

/** Lines that a message may have above its frames. */
const MAX_MESSAGE_LINES = 20;

/** The line above the frames that end the text. */
function stack(lines: readonly string[]): string | undefined {
  const outOfMemory = lines.findLast((line) => line.startsWith('FATAL ERROR: '));
  if (outOfMemory !== undefined) return outOfMemory;
  let at = lines.length - 1;
  let frames = 0;
  for (; at >= 0; at--) {
    const line = lines[at] ?? '';
    if (FRAME.test(line) || line.startsWith('Caused by: ')) frames++;
    // Ruby prints the cause below the error that was thrown
    const isCause = RAISED_IN_RUBY.test(line) && /^\s+from /.test(lines[at - 1] ?? '');
    if (!isCause && !BETWEEN.test(line)) break;
  }
  if (frames === 0 || at < 0) return undefined;
  const above = lines.slice(Math.max(0, at - MAX_MESSAGE_LINES), at + 1);
  const line = above.findLast((each) => ERROR.test(each)) ?? lines[at];
  return line?.replace(/^(?:Exception in thread "[^"]*" |Unhandled exception\. |Uncaught )/, '');
}

/** Without the commands that `set -x` prints. */
function traced(lines: readonly string[]): string | undefined {
  return lines.findLast((line) => isPrinted(line) && !/^\++ /.test(line));
}
