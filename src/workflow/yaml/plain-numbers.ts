/**
 * Distinguishes numbers that are settings (versions, dates, sizes, times) from numbers that
 * identify a card, an account, a person or a telephone.
 */
const PLAIN: readonly RegExp[] = [
  // versions, and addresses of machines
  /^v?\d{1,5}(?:\.\d{1,5}){1,3}(?::\d{1,5})?$/,
  // dates and times
  /^\d{4}-\d{2}(?:-\d{2})?(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[-+]\d{2}:?\d{2})?)?$/,
  /^(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])$/,
  /^\d{1,2}:\d{2}(?::\d{2})?$/,
  // short ones, and fractions
  /^[-+]?\d{1,7}(?:\.\d{1,9})?$/,
  // round sizes and times
  /^\d+000$/,
];

/** Shorter numbers are settings. */
const MIN_DIGITS = 8;

const NUMBER = /^[-+(]?\d[\d ().:/-]*$/;

/** True for digits, and digits in groups, that are not clearly a setting. */
export function isIdentifyingNumber(text: string): boolean {
  if (!NUMBER.test(text) || text.replace(/\D/g, '').length < MIN_DIGITS) return false;
  return !PLAIN.some((pattern) => pattern.test(text)) && !isBinarySize(text);
}

/** A whole number of KiB. */
function isBinarySize(text: string): boolean {
  return /^\d{1,15}$/.test(text) && Number(text) % 1024 === 0;
}
