import { describe, expect, it } from 'vitest';
import { causeInStderr } from './stderr-cause.ts';

describe('the line that names the cause', () => {
  it.each([
    [
      'Node, a missing module',
      `node:internal/modules/cjs/loader:1423
  throw err;
  ^

Error: Cannot find module 'nope.mjs'
    at Module._resolveFilename (node:internal/modules/cjs/loader:1420:15)
    at node:internal/main/run_main_module:33:47 {
  code: 'MODULE_NOT_FOUND',
  requireStack: []
}

Node.js v24.21.0
`,
      "Error: Cannot find module 'nope.mjs'",
    ],
    [
      'Node, an error with a code',
      "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'x'\n    at y\n\nNode.js v24.21.0",
      "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'x'",
    ],
    [
      'Node, something else than an error',
      '[UnhandledPromiseRejection: it was rejected with "no"] {\n  code: 1\n}\n\nNode.js v24.21.0',
      '[UnhandledPromiseRejection: it was rejected with "no"] {',
    ],
    [
      'Python',
      'Traceback (most recent call last):\n  File "a.py", line 1\n    import x\nModuleNotFoundError: No module named \'x\'\n',
      "ModuleNotFoundError: No module named 'x'",
    ],
    [
      'npm',
      'npm error code E404\nnpm error 404 Not Found - GET x - Not found\nnpm error 404\nnpm error A complete log of this run can be found in: /l\n',
      'npm error 404 Not Found - GET x - Not found',
    ],
    [
      'Rust',
      "thread 'main' panicked at src/main.rs:2:5:\nno token\nnote: run with `RUST_BACKTRACE=1` to see more\n",
      'no token',
    ],
    ['a server with its own message', 'starting\nTOKEN is not set\n', 'TOKEN is not set'],
    ['colours', '\u001B[31mError: no\u001B[0m\n', 'Error: no'],
    ['nothing that names a cause', 'Node.js v24.21.0\n', 'Node.js v24.21.0'],
  ])('of %s', (_, stderr, line) => {
    expect(causeInStderr(stderr)).toBe(line);
  });

  it('is undefined for an empty stderr, and has a limit', () => {
    expect(causeInStderr(' \n\n')).toBeUndefined();
    expect(causeInStderr('x'.repeat(5000))).toHaveLength(300);
  });
});
