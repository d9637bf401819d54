import fc from 'fast-check';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { isKindName, isReservedKind } from '../../errors/catalog/kinds.ts';
import { reportOf } from '../effect-port.cases.ts';
import { parseErrorFile } from './error-file.ts';
import { openScriptBench } from './script-effect.cases.ts';
import { runs } from '../../../test/runs.ts';

const bench = openScriptBench();
const { bash } = bench;
afterEach(() => expect(bench.leftBehind(), 'error files left behind').toEqual([]));
afterAll(() => bench.dispose());

const write = (text: string): string => `cat > "$ERRAND_ERROR_OUT" <<'END'\n${text}\nEND`;

describe('an error file', () => {
  it('wins over the exit code, and what was printed stays', async () => {
    for (const exit of [0, 1, 7]) {
      const text = `echo out; ${write('{"kind":"order.missing","message":"No order","details":{"id":7}}')}\nexit ${exit}`;
      const result = await bash(text);
      expect(reportOf(result)).toMatchObject({
        kind: 'order.missing',
        class: 'domain',
        message: 'No order',
        outcome: 'failed',
        details: { id: 7 },
      });
      expect(result).toMatchObject({ output: { stdout: 'out\n', exit_code: exit } });
    }
  });

  it('keeps a number that is too large to be exact as text', async () => {
    const text = '{"kind":"order.missing","details":{"id":9007199254740993,"n":7,"of":[1e400]}}';
    expect(reportOf(await bash(write(text)))).toMatchObject({
      kind: 'order.missing',
      details: { id: '9007199254740993', n: 7, of: ['1e400'] },
    });
  });

  it('wins over a signal and over a bad stdout', async () => {
    expect(reportOf(await bash(`${write('{"kind":"a.b"}')}\nkill -9 $$`)).kind).toBe('a.b');
    const outputSchema = { type: 'object', required: ['id'] };
    expect(reportOf(await bash(write('{"kind":"a.b"}'), { outputSchema })).kind).toBe('a.b');
  });

  it('may be written under Conductor’s name', async () => {
    expect(reportOf(await bash('echo \'{"kind":"a.b"}\' > "$CONDUCTOR_ERROR_OUT"')).kind).toBe(
      'a.b',
    );
  });

  it('has its secrets removed', async () => {
    const result = await bash(
      write('{"kind":"a.b","message":"key sk-abcdefghijklmnopqrstuvwxyz1234"}'),
    );
    expect(reportOf(result).message).toBe('key [redacted]');
  });

  const useless: readonly [string, string, RegExp][] = [
    ['bad JSON', write('{"kind": "a.b"'), /is not JSON/],
    ['no object', write('["a.b"]'), /not a JSON object/],
    ['no kind', write('{"message": "x"}'), /has no kind/],
    ['a malformed kind', write('{"kind": "Order-Missing"}'), /not dotted lowercase/],
    ['a kind of one word', write('{"kind": "missing"}'), /not dotted lowercase/],
    ['a kind that is no text', write('{"kind": 7}'), /not dotted lowercase/],
    ['a reserved kind', write('{"kind": "provider.auth"}'), /belongs to the runtime/],
    ['a reserved prefix', write('{"kind": "internal.mine"}'), /belongs to the runtime/],
    [
      'a message that is no text',
      write('{"kind": "a.b", "message": {}}'),
      /message that is not a text/,
    ],
    [
      'bytes that are no text',
      String.raw`printf '{"kind":"a.b\xff"}' > "$ERRAND_ERROR_OUT"`,
      /not text in UTF-8/,
    ],
    ['a directory', 'mkdir "$ERRAND_ERROR_OUT"', /not a plain file/],
    ['a pipe without a writer', 'mkfifo "$ERRAND_ERROR_OUT"', /not a plain file/],
    ['a link', 'ln -s /etc/hostname "$ERRAND_ERROR_OUT"', /cannot be read \(ELOOP\)/],
  ];
  it.each(useless)('is internal.envelope_invalid with %s', async (_, text, message) => {
    const result = await bash(`echo out; echo said >&2; ${text}\nexit 3`);
    expect(reportOf(result)).toMatchObject({
      kind: 'internal.envelope_invalid',
      message: expect.stringMatching(message),
      details: { exit_code: 3, stderr_tail: 'said\n' },
    });
    expect(result).toMatchObject({ output: { stdout: 'out\n' } });
  });

  it('that cannot be read does not count as absent', async () => {
    const asOther =
      process.getuid?.() === 0
        ? 'mkfifo "$ERRAND_ERROR_OUT"'
        : 'echo {} > "$ERRAND_ERROR_OUT"; chmod 000 "$ERRAND_ERROR_OUT"';
    expect(reportOf(await bash(asOther)).kind).toBe('internal.envelope_invalid');
  });

  it('counts as absent when it is empty, only a byte order mark, or deleted with its folder', async () => {
    for (const text of [
      ': > "$ERRAND_ERROR_OUT"',
      String.raw`printf '\xef\xbb\xbf \n' > "$ERRAND_ERROR_OUT"`,
      'rm -r "$(dirname "$ERRAND_ERROR_OUT")"',
    ]) {
      expect(await bash(text), text).toMatchObject({ ok: true });
    }
  });
});

describe('an error file that is too large to be kept', () => {
  const MEBIBYTE = 1024 * 1024;
  const BEGIN = '{"kind":"order.missing","message":"No \\"order\\" 7","details":';
  const writeWith = (expression: string): string =>
    `node -e 'require("node:fs").writeFileSync(process.env.ERRAND_ERROR_OUT, process.argv[1] + ${expression} + "}")' '${BEGIN}'\nexit 3`;

  it.each([
    ['in its details', `JSON.stringify("x".repeat(${5 * MEBIBYTE}))`],
    ['beyond what is read', `JSON.stringify("ü".repeat(${17 * MEBIBYTE}))`],
    ['wide', 'JSON.stringify(Array.from({ length: 3e5 }, (_, index) => ({ [index]: index })))'],
    ['deep', '"[".repeat(1e5) + "]".repeat(1e5)'],
    ['deep, with a number', '"[".repeat(1e5) + "12345678901234567890" + "]".repeat(1e5)'],
  ])('keeps its kind and message: %s', async (_, expression) => {
    const report = reportOf(await bash(writeWith(expression)));
    expect(report).toMatchObject({ kind: 'order.missing', message: 'No "order" 7' });
    expect(report.details).toBeDefined();
    expect(JSON.stringify(report).length).toBeLessThan(65_536);
  });

  it('keeps the beginning of its message', async () => {
    const report = reportOf(
      await bash(
        `node -e 'require("node:fs").writeFileSync(process.env.ERRAND_ERROR_OUT, JSON.stringify({ kind: "a.b", message: "\\\\ü".repeat(${9 * MEBIBYTE}) }))'`,
      ),
    );
    expect(report).toMatchObject({ kind: 'a.b', message: expect.stringMatching(/^(?:\\ü){500}/) });
  });

  it.each([
    ['no object', '"[".repeat(17e6)', /not a JSON object/],
    ['nothing but zeros', '"\\0".repeat(17e6)', /not a JSON object/],
    [
      'its kind too late',
      `"{\\"x\\":\\"" + "x".repeat(${17 * MEBIBYTE}) + "\\",\\"kind\\":\\"a.b\\"}"`,
      /has no kind/,
    ],
    [
      'a kind that is no text',
      `"{\\"kind\\":[\\"a.b\\"],\\"x\\":\\"" + "x".repeat(${17 * MEBIBYTE})`,
      /not dotted lowercase/,
    ],
    [
      'a message that is no text',
      `"{\\"kind\\":\\"a.b\\",\\"message\\":{\\"message\\":1},\\"x\\":\\"" + "x".repeat(${17 * MEBIBYTE})`,
      /message that is not a text/,
    ],
  ])('is invalid with %s', async (_, expression, problem) => {
    const report = reportOf(
      await bash(
        `node -e 'require("node:fs").writeFileSync(process.env.ERRAND_ERROR_OUT, ${expression})'`,
      ),
    );
    expect(report).toMatchObject({
      kind: 'internal.envelope_invalid',
      message: expect.stringMatching(problem),
    });
  });
});

describe('what is written in it', () => {
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
  const raised = (text: string): unknown => parseErrorFile(bytes(text));

  it('may leave out all but the kind', () => {
    expect(raised('{"kind":"a.b"}')).toEqual({
      type: 'raised',
      envelope: { kind: 'a.b', message: 'a.b' },
    });
    expect(raised('{"kind":"a.b","message":"  ","details":null,"conductor_error":true}')).toEqual({
      type: 'raised',
      envelope: { kind: 'a.b', message: 'a.b' },
    });
  });

  it('may have details of any type', () => {
    for (const value of [1, 'x', [1], false]) {
      const text = JSON.stringify({ kind: 'a.b', message: 'm', details: value });
      expect(raised(text)).toMatchObject({ envelope: { details: { value } } });
    }
  });

  it.each([
    ['kind', '{"kind":"a.b","details":{},"kind":"c.d"}', true],
    ['message', '{"kind":"a.b","message":"m","mess\\u0061ge":"n"}', true],
    ['kind', '{"kind":"a.b","kind":"c.d","details":"…', false],
  ])('must have its %s once: %s', (key, text, isWhole) => {
    const problem = `has the key "${key}" twice`;
    expect(parseErrorFile(bytes(text), isWhole)).toEqual({ type: 'invalid', problem });
  });

  it('may have in its details what it likes', () => {
    const text =
      '{"kind":"a.b","details":{"kind":1,"message":2,"x":3,"x":4},"x":[{"kind":5}],"x":6}';
    expect(raised(text)).toMatchObject({ envelope: { kind: 'a.b', details: { x: 4 } } });
  });

  it('may begin with a byte order mark, as PowerShell writes it', () => {
    const text = '{"kind":"a.b","message":"größer"}';
    const wide = Buffer.from(`\uFEFF${text}`, 'utf16le');
    const expected = { type: 'raised', envelope: { kind: 'a.b', message: 'größer' } };
    expect(raised(`\uFEFF${text}`)).toEqual(expected);
    expect(parseErrorFile(wide)).toEqual(expected);
    expect(parseErrorFile(Buffer.from(wide).swap16())).toEqual(expected);
  });

  it('is read from a part as from the whole, where the part has it', () => {
    const member = fc.tuple(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(fc.array(member), fc.string(), fc.string(), (others, message, rest) => {
        const envelope = { ...Object.fromEntries(others), kind: 'a.b', message, details: {} };
        const whole = JSON.stringify(envelope).slice(0, -1);
        const part = bytes(`${whole},${JSON.stringify(rest)}:[[{"kind":"c.d`);
        expect(parseErrorFile(part, false)).toEqual({
          type: 'raised',
          envelope: { kind: 'a.b', message: message.trim() || 'a.b', details: { value: '[cut]' } },
        });
      }),
      { numRuns: runs(500) },
    );
  });

  it('is an envelope, nothing, or invalid, whatever the bytes', () => {
    const envelope = fc.record(
      { kind: fc.anything(), message: fc.anything(), details: fc.anything(), other: fc.anything() },
      { requiredKeys: [] },
    );
    const written = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.json().map(bytes),
      envelope.map((value) =>
        bytes(
          JSON.stringify(value, (_, item: unknown) => (typeof item === 'bigint' ? 1 : item)) ?? '',
        ),
      ),
    );
    fc.assert(
      fc.property(written, (content) => {
        const reading = parseErrorFile(content);
        if (reading.type !== 'raised') return ['none', 'invalid'].includes(reading.type);
        const { kind, message } = reading.envelope;
        return isKindName(kind) && !isReservedKind(kind) && message.trim() !== '';
      }),
      { numRuns: runs(2000) },
    );
  });
});
