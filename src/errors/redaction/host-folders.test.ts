import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/runs.ts';
import { expectLinear } from '../../../test/own-time.ts';
import { forPerson, forPublic } from '../report/audiences.ts';
import { toReport } from '../thrown/to-report.ts';
import { addHostFolder, hideKnownFolders } from './host-folders.ts';
import { hideHostPaths } from './host-paths.ts';

addHostFolder('/scratch/alice/proj');
addHostFolder('D:\\builds\\bob\\shop');

describe('a known folder', () => {
  it.each([
    ['open /scratch/alice/proj/keys/a.pem failed', 'open …/a.pem failed'],
    ['in /scratch/alice/proj', 'in …/proj'],
    ['cwd=/scratch/alice/proj/ and more', 'cwd=…/proj and more'],
    ['beside it: /scratch/alice/other/x:3:4', 'beside it: …/x:3:4'],
    ['//scratch/alice/proj/x', '…/x'],
    ['-/scratch/alice/proj/x', '-…/x'],
    ['.../scratch/alice/proj/x', '...…/x'],
    ['error:open/scratch/alice/proj/x', 'error:open…/x'],
    ['path:/scratch/alice/proj/x', 'path:…/x'],
    ['file:///scratch/alice/proj/x.mjs:1:2', '…/x.mjs:1:2'],
    ['"\\/scratch\\/alice\\/proj\\/x"', '"…/x"'],
    ['%2Fscratch%2Falice%2Fproj%2Fx', '…/x'],
    ['D:\\builds\\bob\\shop\\src\\a.ts:3 and d:/builds/bob/b.ts', '…/a.ts:3 and …/b.ts'],
    [`at ${process.cwd()}/src/x.ts`, 'at …/x.ts'],
  ])('in %j is shown by its last name: %j', (text, shown) => {
    expect(hideKnownFolders(text)).toBe(shown);
  });

  it.each([
    'POST /v1/chat/completions and /v1/chat',
    'https://api.example.com/scratch/models and https://host/a/b/c',
    '/scratch/alicent/x and /scratch and scratch/alice/proj',
    '/agents/1 each_ticket[42]/one/fetch_order and/or 1/2/3 application/json 50%',
  ])('is not found in %j', (text) => {
    expect(hideKnownFolders(text)).toBe(text);
  });

  it('is not shown to people and clients, in messages and details', () => {
    const report = toReport(new Error('open /scratch/alice/proj/x'), { fallback: 'call.failed' });
    expect(forPerson(report).message).toBe('open …/x');
    expect(forPublic(report, { disclosure: 'verbose' }).message).toBe('open …/x');
    const error = Object.assign(new Error('x'), { code: '/scratch/alice/proj/x' });
    expect(JSON.stringify(forPerson(toReport(error)))).not.toContain('alice');
  });

  it('is hidden wherever it is glued to, and the same way twice', () => {
    const before = fc.constantFrom(
      '',
      ' ',
      '"',
      '(',
      '=',
      ':',
      '-',
      '...',
      '/',
      '~',
      'x',
      '…',
      '%',
      '@',
    );
    const part = fc.tuple(before, fc.constantFrom('', '/x', '//x/y.ts', '\\z', '%2Fq', ':3', ' z'));
    fc.assert(
      fc.property(fc.array(part, { minLength: 1 }), (parts) => {
        const text = parts.map(([start, end]) => `${start}/scratch/alice/proj${end}`).join(' ');
        const shown = hideHostPaths(text);
        expect(shown).not.toContain('alice');
        expect(hideHostPaths(shown)).toBe(shown);
      }),
      { numRuns: runs(300) },
    );
  });

  it('is found in linear time', () => {
    const hostile = (size: number): string =>
      '/scratch/alice/'.repeat(size) + '/'.repeat(size * 10);
    expectLinear((size) => void hideKnownFolders(hostile(size)), 200);
  });
});
