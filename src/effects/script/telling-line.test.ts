import { afterAll, describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { expectLinear } from '../../../test/own-time.ts';
import { runs } from '../../../test/runs.ts';
import { reportOf } from '../effect-port.cases.ts';
import { openScriptBench } from './script-effect.cases.ts';
import { tellingLine } from './telling-line.ts';

const bench = openScriptBench();
const { bash } = bench;
afterAll(() => bench.dispose());

/** As these runtimes print it, with the line that tells. */
const PRINTED: readonly (readonly [string, string, string])[] = [
  [
    'Node, TypeScript without a file that does not compile',
    `[eval]:1
let x = = 1
        ^
Expression expected

SyntaxError: Unexpected token '='
    at makeContextifyScript (node:internal/vm:194:14)
    at compileScript (node:internal/process/execution:388:10)

Node.js v24.21.0
`,
    "SyntaxError: Unexpected token '='",
  ],
  [
    'Node, an error',
    `starting
file:///app/t.mjs:1
function f() { throw new TypeError('Cannot read the order', { cause }); } f();
                     ^

TypeError: Cannot read the order
second line
    at f (file:///app/t.mjs:1:21)
    at file:///app/t.mjs:1:110
    ... 2 lines matching cause stack trace ...
    at async asyncRunEntryPointWithESMLoader (node:internal/modules/run_main:117:5) {
  code: 'ENOENT',
  [cause]: Error: inner
      at f (file:///app/t.mjs:1:81)
}

Node.js v24.21.0
`,
    'TypeError: Cannot read the order',
  ],
  [
    'Node, a thrown text',
    `[eval]:1
throw "no order"
^
no order
(Use \`node --trace-uncaught ...\` to show where the exception was thrown)

Node.js v24.21.0
`,
    'no order',
  ],
  [
    'Node, a rejection with a text',
    `node:internal/process/promises:392
      new UnhandledPromiseRejection(reason);
      ^

UnhandledPromiseRejection: This error originated either by throwing inside of an async function without a catch block, or by rejecting a promise which was not handled with .catch(). The promise rejected with the reason "no order".
    at throwUnhandledRejectionsMode (node:internal/process/promises:392:7) {
  code: 'ERR_UNHANDLED_REJECTION'
}

Node.js v24.21.0
`,
    'no order',
  ],
  [
    'Node, out of memory',
    `<--- Last few GCs --->

[4050:0x40d3b000]      128 ms: Mark-Compact 10.4 (15.5) -> 10.1 (19.3) MB, pooled: 0 MB

FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory
----- Native stack trace -----

 1: 0x931db0  [node]
10: 0x75968e node::OOMErrorHandler(char const*, v8::OOMDetails const&) [node]
`,
    'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory',
  ],
  [
    'JavaScript, a stack that the script printed',
    `Error: caught
    at [eval]:1:15
    ... 5 lines matching cause stack trace ...
    at node:internal/main/eval_string:71:3 {
  [cause]: TypeError: why
      at [eval]:1:43
}
`,
    'Error: caught',
  ],
  [
    'Python, a chain',
    `Traceback (most recent call last):
  File "/app/t.py", line 3, in f
ValueError: invalid literal for int() with base 10: 'x'

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/app/t.py", line 6, in <module>
    f()
    ~^^
KeyError: 'order'
`,
    "KeyError: 'order'",
  ],
  [
    'Python, a message of several lines',
    `Traceback (most recent call last):
  File "/app/t.py", line 6, in <module>
pydantic_core._pydantic_core.ValidationError: 1 validation error for Order
id
  Input should be a valid integer [type=int_type, input_value='x', input_type=str]
    For further information visit https://errors.pydantic.dev/2.12/v/int_type
`,
    'pydantic_core._pydantic_core.ValidationError: 1 validation error for Order',
  ],
  [
    'Python, a note',
    `Traceback (most recent call last):
  File "<string>", line 3, in <module>
LookupError: no order
ask the shop
`,
    'LookupError: no order',
  ],
  [
    'Python, a group',
    `  + Exception Group Traceback (most recent call last):
  |   File "<string>", line 2, in <module>
  | ExceptionGroup: several (2 sub-exceptions)
  +-+---------------- 1 ----------------
    | ValueError: a
    +---------------- 2 ----------------
    | KeyError: 'b'
    +------------------------------------
`,
    'ExceptionGroup: several (2 sub-exceptions)',
  ],
  [
    'Python, a syntax error',
    `  File "<string>", line 1
    x = (
        ^
SyntaxError: '(' was never closed
`,
    "SyntaxError: '(' was never closed",
  ],
  [
    'Python, a stack that was logged before',
    `Traceback (most recent call last):
  File "/app/t.py", line 3, in f
ValueError: a
order.py: error: no order
`,
    'order.py: error: no order',
  ],
  [
    'Ruby, with a cause',
    `t.rb:4:in 'rescue in Object#f': no order (RuntimeError)
	from t.rb:1:in 'Object#f'
	from t.rb:7:in '<main>'
t.rb:2:in 'Integer': invalid value for Integer(): "x" (ArgumentError)
	from t.rb:2:in 'Object#f'
	from t.rb:7:in '<main>'
`,
    "t.rb:4:in 'rescue in Object#f': no order (RuntimeError)",
  ],
  [
    'Java, with a cause',
    `12:00:01 INFO starting
Exception in thread "main" java.lang.IllegalStateException: No order
second line
	at T.f(T.java:2)
	at T.main(T.java:3)
Caused by: java.lang.NumberFormatException: For input string: "x"
	at java.base/java.lang.Integer.parseInt(Integer.java:786)
	... 2 more
`,
    'java.lang.IllegalStateException: No order',
  ],
  [
    'Java, a class that is not there',
    `Error: Could not find or load main class Nope
Caused by: java.lang.ClassNotFoundException: Nope
`,
    'Error: Could not find or load main class Nope',
  ],
  [
    'Go, a panic',
    `panic: No order

goroutine 1 [running]:
main.main()
	/app/n.go:2 +0x25
exit status 2
`,
    'panic: No order',
  ],
  [
    'Go, a panic in a panic',
    `panic: runtime error: index out of range [5] with length 0 [recovered]
	panic: again

goroutine 1 [running]:
main.main.func1()
	/app/m.go:3 +0x5b
`,
    'panic: again',
  ],
  [
    'Go, a fatal log',
    '2026/03/01 12:00:00 no order\nexit status 1\n',
    '2026/03/01 12:00:00 no order',
  ],
  [
    'Rust',
    `thread 'main' panicked at src/main.rs:2:5:
no order
note: run with \`RUST_BACKTRACE=1\` environment variable to display a backtrace
`,
    'no order',
  ],
  [
    '.NET',
    'Unhandled exception. System.Exception: no order\n   at Program.Main() in T.cs:line 1\n',
    'System.Exception: no order',
  ],
  [
    'a shell',
    'working\nbash: line 1: nosuch: command not found\n',
    'bash: line 1: nosuch: command not found',
  ],
  [
    'a shell that traces',
    "+ ls /nope\nls: cannot access '/nope': No such file\n+ exit 2\n",
    "ls: cannot access '/nope': No such file",
  ],
  ['a shell that only traces', '+ false\n+ exit 2\n', '+ exit 2'],
  ['Perl', 'no order at t.pl line 1.\n', 'no order at t.pl line 1.'],
  [
    'Node, a rejection with an object',
    `node:internal/process/promises:394
      new UnhandledPromiseRejection(reason);
      ^

UnhandledPromiseRejection: This error originated either by throwing inside of an async function without a catch block, or by rejecting a promise which was not handled with .catch(). The promise rejected with the reason "#<Object>".
    at throwUnhandledRejectionsMode (node:internal/process/promises:392:7) {
  code: 'ERR_UNHANDLED_REJECTION'
}

Node.js v24.21.0
`,
    'The promise rejected with the reason "#<Object>".',
  ],
  [
    'Node, a rejection with nothing',
    `node:internal/process/promises:394
      new UnhandledPromiseRejection(reason);
      ^

UnhandledPromiseRejection: This error originated either by throwing inside of an async function without a catch block, or by rejecting a promise which was not handled with .catch(). The promise rejected with the reason "undefined".
    at throwUnhandledRejectionsMode (node:internal/process/promises:392:7) {
  code: 'ERR_UNHANDLED_REJECTION'
}

Node.js v24.21.0
`,
    'The promise rejected with the reason "undefined".',
  ],
  [
    'npm, a script that is not there',
    `npm error Missing script: "nosuch"
npm error
npm error To see a list of scripts, run:
npm error   npm run
npm error A complete log of this run can be found in: /root/.npm/_logs/2026-11-20T00_52_42_397Z-debug-0.log
`,
    'npm error Missing script: "nosuch"',
  ],
  [
    'npm, a package that is not there',
    `npm warn deprecated order@1.0.0: no longer supported
npm ERR! code E404
npm ERR! 404 Not Found - GET https://registry.npmjs.org/order-zz - Not found
npm ERR! 404
npm ERR! A complete log of this run can be found in: /root/.npm/_logs/2026-11-20T00_52_42_397Z-debug-0.log
`,
    'npm ERR! 404 Not Found - GET https://registry.npmjs.org/order-zz - Not found',
  ],
  [
    'npm, a script that failed',
    `Error: no order
    at f (/app/t.js:1:1)

Node.js v24.21.0
npm error Lifecycle script \`pay\` failed with error:
npm error code 1
npm error path /app/orders
npm error workspace orders@1.0.0
npm error location /app/orders
npm error command failed
npm error command sh -c node t.js
`,
    'Error: no order',
  ],
  [
    'npm, a script that failed without a word',
    `npm warn Unknown user config "shop".
npm error Lifecycle script \`pay\` failed with error:
npm error code 3
npm error path /app/orders
`,
    'npm error Lifecycle script `pay` failed with error:',
  ],
  [
    'Java, a source that does not compile',
    `T.java:1: error: incompatible types: String cannot be converted to int
public class T { public static void main(String[] a){ int x = "s"; String y = 3; } }
                                                              ^
T.java:1: error: incompatible types: int cannot be converted to String
public class T { public static void main(String[] a){ int x = "s"; String y = 3; } }
                                                                              ^
2 errors
error: compilation failed
`,
    'T.java:1: error: incompatible types: String cannot be converted to int',
  ],
  [
    'C, a source that does not compile',
    `t.c: In function ‘main’:
t.c:1:20: error: ‘x’ undeclared (first use in this function)
    1 | int main(){ return x; }
      |                    ^
t.c:1:20: note: each undeclared identifier is reported only once for each function it appears in
make: *** [Makefile:2: t] Error 1
`,
    't.c:1:20: error: ‘x’ undeclared (first use in this function)',
  ],
  [
    'C, a source that is not there',
    'cc1: fatal error: nope.c: No such file or directory\ncompilation terminated.\n',
    'cc1: fatal error: nope.c: No such file or directory',
  ],
  [
    'Rust, a source that does not compile',
    `error[E0308]: mismatched types
 --> t.rs:1:25
  |
1 | fn main(){ let x: i32 = "a"; }
  |                         ^^^ expected \`i32\`, found \`&str\`

error: aborting due to 1 previous error

For more information about this error, try \`rustc --explain E0308\`.
`,
    'error[E0308]: mismatched types',
  ],
  [
    'make, a rule that failed',
    'no order\nmake[1]: *** [Makefile:2: pay] Error 3\nmake: *** [Makefile:5: all] Error 2\n',
    'no order',
  ],
  [
    'a verdict below what a compiler printed',
    't.c:1:20: error: no x\n    1 | return x;\n      |        ^\nThe build of order 7 failed\n',
    'The build of order 7 failed',
  ],
  ['anything else', 'one\n  two\n\n', 'two'],
];

describe('the line that tells why a script failed', () => {
  it.each(PRINTED)('is found for %s', (_, stderr, line) => {
    expect(tellingLine(stderr)).toBe(line);
    expect(tellingLine(stderr.replaceAll('\n', '\r\n'))).toBe(line);
  });

  it('is absent when nothing was printed', () => {
    for (const text of ['', '\n', ' \n\t\n']) expect(tellingLine(text)).toBeUndefined();
  });

  it('is one of the printed lines, whatever was printed', () => {
    const line = fc.oneof(
      fc.string(),
      fc.constantFrom(...PRINTED.flatMap(([, stderr]) => stderr.split('\n'))),
    );
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const told = tellingLine(lines.join('\n'));
        return told === undefined || (told !== '' && lines.join('\n').length >= told.length);
      }),
      { numRuns: runs(2000) },
    );
  });

  it('takes time in proportion to what was printed', () => {
    expectLinear((size) => tellingLine('    at x (y)\n'.repeat(size)), 4000);
  });
});

describe('a script that crashes', () => {
  it('has the thrown error as its message in Node', async () => {
    const result = await bash(`node -e 'function f() { throw new TypeError("no order") } f()'`);
    expect(reportOf(result)).toMatchObject({
      kind: 'internal.script_error',
      message: 'TypeError: no order',
      details: { stderr_tail: expect.stringMatching(/Node\.js v\d/) },
    });
  });

  it('has the error as its message in a shell that traces', async () => {
    const result = await bash('set -x; echo "no order" >&2; exit 3');
    expect(reportOf(result).message).toBe('no order');
  });
});
