/** Which values of variables with ordinary names are secrets: all but those that are plainly settings. */
import { describe, expect, it } from 'vitest';
import { secretsIn, type FieldUse } from './secret-values.ts';

const secrets = (value: string, use: FieldUse): readonly string[] =>
  secretsIn({ name: 'value', written: '${SETTING}', use }, { SETTING: value });

const USES = ['credential', 'other'] as const;

describe.each(USES)('the value of a variable in a field of the use %s', (use) => {
  it.each([
    ['a card', '4111888822223333'],
    ['a card in groups', '4111 8888 2222 3333'],
    ['a number of insurance', '123-45-6789'],
    ['a telephone number', '+49 30 5557 1234'],
    ['an account', '90817263'],
    ['a number in brackets', '(030) 5557-1234'],
    ['a number with a colon', '9081726354:4455'],
    ['a key in base64 that begins like a path', '/3fKq8vXz2LmN7pR4tWk9Qw7ZxT4mVb='],
    ['the path of a hook', '/services/T024BE7LD/B08QX2/Xk3jKd9sK2aQw7ZxT4mVb2Lp'],
  ])('is a secret: %s', (_, value) => {
    expect(secrets(value, use)).toContain(value);
  });

  it.each(['GITHUB_RUN_ID', 'MAX_BYTES', 'TIMEOUT_MS', 'START_EPOCH'])(
    'is a setting where its name says what it counts: %s',
    (variable) => {
      const written = `\${${variable}}`;
      const found = (value: string): readonly string[] =>
        secretsIn({ name: 'value', written, use }, { [variable]: value });
      expect(found('19481726354')).toEqual([]);
      expect(found('1948-1726-3541')).toEqual(['1948-1726-3541']);
    },
  );

  it.each([
    ['versions', ['1.2.3', 'v24.21.0', '10.0.19045.3803', '2026.11']],
    ['dates and times', ['2026-11-17', '20261117', '2026-11-17T14:05:00Z', '14:05:00', '2026-11']],
    ['sizes and times', ['10485760', '1073741824', '86400000', '5000000000', '1048576']],
    ['fractions', ['0.30000001', '3.14159265', '-12.5000000']],
    ['addresses of machines', ['192.168.100.200', '10.0.0.1:54321', '127.0.0.1']],
    ['short numbers', ['8080', '1234567', '-42']],
    [
      'paths',
      [
        '/home/ada/projects',
        '/var/folders/zz/zyxvpxvq6csfxvn_n0000000000000/T',
        '/nix/store/9k2x6q3v8r1m5n7p4t0w2y6z8b1d3f5h-node-24',
        '/builds/8f3c9a1e-77aa-4b2c-9d1e-0f2a3b4c5d6e/app',
        './src/index.ts',
        '~/Documents/Reports2026/Q3',
        './docs/MyReport2026FinalVersion.pdf',
        'C:\\Users\\AdaLovelace1815\\AppData',
      ],
    ],
  ])('is a setting: %s', (_, values) => {
    for (const value of values) expect([value, secrets(value, use)]).toEqual([value, []]);
  });
});
