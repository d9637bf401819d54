import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hideInternalsDeep } from './hide-internals.ts';
import { hideHostPaths } from './host-paths.ts';
import { runs } from '../../../test/runs.ts';

describe('a path of the host', () => {
  it.each([
    ['at f (/home/alice/shop/src/a.ts:3:4)', 'at f (…/a.ts:3:4)'],
    ["open '/Users/John Smith/notes.txt'", "open '…/notes.txt'"],
    ['cwd=/home/alice/shop', 'cwd=…/shop'],
    ['path:/tmp/x/y.log failed', 'path:…/y.log failed'],
    ['/home/alice', '…'],
    ['C:\\Users\\bob', '…'],
    ['C:\\Users\\bob\\f.ts and D:/work/x.ts', '…/f.ts and …/x.ts'],
    ['"C:\\\\Users\\\\John Smith\\\\x.ts"', '"…/x.ts"'],
    ['\\\\server\\share\\x.txt', '…/x.txt'],
    ['file:///home/alice/a.ts:3:4', '…/a.ts:3:4'],
    ['/custom/place/config.yaml is bad', '…/config.yaml is bad'],
    ['//home/alice/x', '…/x'],
    ['-/home/alice/z', '-…/z'],
    ['.../home/alice/z', '...…/z'],
  ])('of %j is shown by its last name: %j', (text, shown) => {
    expect(hideHostPaths(text)).toBe(shown);
  });

  it.each([
    'https://host:8080/home/x/y and https://api.openai.com/v1/chat/completions',
    'POST /v1/chat/completions',
    'src/errors/report/report.ts and ./home/a/b and ../tmp/x',
    'and/or, 1/2/3, tcp://host, a:b/c',
    '/agents/1',
    'each_ticket[42]/one/fetch_order',
  ])('is not found in %j', (text) => {
    expect(hideHostPaths(text)).toBe(text);
  });

  it('is hidden the same way twice', () => {
    const piece = fc.constantFrom(
      '/home/alice/a.ts:3:4',
      'C:\\Users\\bob\\f.ts',
      "'/Users/John Smith/x'",
      'file:///tmp/a/b',
      '\\\\server\\share\\x',
      '/v1/models',
      'https://host/home/x',
      'words',
      '(',
      ': ',
      '\n',
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const shown = hideHostPaths(pieces.join(' '));
        expect(hideHostPaths(shown)).toBe(shown);
        expect(shown).not.toMatch(/alice|bob|Smith|server/);
      }),
      { numRuns: runs(500) },
    );
  });

  it('never shows a folder of a file, wherever in a report the path is', () => {
    const name = fc.stringMatching(/^[a-z]{3,8}$/);
    const root = fc.constantFrom(
      '/home',
      '/Users',
      '/tmp',
      '/var/lib',
      '/root',
      'C:\\Users',
      '/opt',
    );
    const around = fc.constantFrom('', ' ', '(', '"', "'", '=', ': ', '`', ':', ',');
    fc.assert(
      fc.property(root, name, name, around, (start, user, file, before) => {
        fc.pre(user !== file && !start.includes(user));
        const separator = start.includes('\\') ? '\\' : '/';
        const path = [start, `u${user}`, 'deep', `${file}.ts`].join(separator);
        const shown = hideInternalsDeep({
          [`${before}${path}`]: [`x${before} ${before}${path} y`],
        });
        expect(JSON.stringify(shown)).not.toContain(`u${user}`);
        expect(JSON.stringify(shown)).toContain(`…/${file}.ts`);
      }),
    );
  });
});
