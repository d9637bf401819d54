/** The media type of an image by its first bytes. */

/** The first bytes of each type, in hexadecimal; a dot stands for any digit. */
const SIGNATURES: readonly (readonly [type: string, start: RegExp])[] = [
  ['image/gif', /^47494638(?:37|39)61/],
  ['image/png', /^89504e47/],
  ['image/jpeg', /^ffd8/],
  ['image/webp', /^52494646.{8}57454250/],
  ['image/bmp', /^424d.{4}0{8}/],
  ['image/tiff', /^(?:49492a00|4d4d002a)/],
  // the size of the first box, then its brand
  ['image/avif', /^000000..6674797061766966/],
  ['image/heic', /^000000..6674797068656963/],
];

/** More than the longest of them. */
const CHARS = 24;

/** Undefined for what nobody recognises. */
export function imageTypeOf(base64: string): string | undefined {
  const start = Buffer.from(base64.slice(0, CHARS), 'base64').toString('hex');
  return SIGNATURES.find(([, signature]) => signature.test(start))?.[0];
}
