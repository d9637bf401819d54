import { describe, expect, it } from 'vitest';
import { importedFile } from './imported-file.ts';

const HERE = '/home/ada/shop';

describe('the workflow file of an imported run', () => {
  it.each([
    ['order.yaml', '/home/ada/shop/order.yaml'],
    ['flows/./order.YML', '/home/ada/shop/flows/order.YML'],
    ['order.json', '/home/ada/shop/order.json'],
    ['code:order', '/home/ada/shop/code:order'],
  ])('is looked for in this folder: %s', (file, found) => {
    expect(importedFile(file, HERE)).toBe(found);
  });

  it.each([
    '/etc/passwd',
    '/home/ada/secrets.yaml',
    '../secrets.yaml',
    'flows/../../secrets.yaml',
    '.env',
    'code:x/../.env',
    'code:x/../../secrets.yaml',
  ])('is never a file whose text is not for the sender of the run: %s', (file) => {
    expect(() => importedFile(file, HERE)).toThrow(
      expect.objectContaining({ report: expect.objectContaining({ kind: 'validation.input' }) }),
    );
  });

  it('may be missing', () => expect(importedFile(null, HERE)).toBeNull());
});
