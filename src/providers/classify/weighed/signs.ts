/**
 * Signs of a failure, as numbers: the words and pairs of words of its message, its codes and their words,
 * its status, and the concepts and families that the rules read too. A sign by itself decides nothing;
 * each has a weight for each conclusion. Numbers instead of texts, because a message has hundreds of them.
 */
import type { Evidence } from '../evidence.ts';
import { CONCEPTS } from '../concepts/lexicon.ts';
import { HASH_START, hashWith } from '../concepts/part-table.ts';
import type { Sentence } from '../concepts/sentence.ts';
import { familyNames } from '../phrases.ts';
import { NONE } from '../rule.ts';

/** Signs of one failure, each once. */
export interface Signs {
  readonly list: Int32Array;
  size: number;
}

const MAX_SIGNS = 512;
/** A power of two, twice as many as there can be signs. */
const SLOTS = 1024;
const MAX_CHARS = 1200;
const STEM_CHARS = 6;

/** The thing that a number stands for; the same word is another sign as a code than in a message. */
const WORD = 1;
const PAIR = 2;
const CODE = 3;
const CODE_WORD = 4;
const STATUS = 5;
const STATUS_CLASS = 6;
const PARAM = 7;
const STOP = 8;
const FAULT = 9;
const FORM = 10;
const CONCEPT = 11;
const CONCEPTS_TOGETHER = 12;
const FAMILY = 13;
const CONCEPT_UNDER = 14;
const FAMILY_UNDER = 15;
const NUMBER = 0x6e6f;

// emptied for each failure: what is older than the last one counts as empty
const slots = new Int32Array(SLOTS);
const ages = new Int32Array(SLOTS);
const signs: Signs = { list: new Int32Array(MAX_SIGNS), size: 0 };
let age = 0;

/** The result is overwritten by the next call. */
export function signsOf(evidence: Evidence): Signs {
  age = (age + 1) | 0;
  signs.size = 0;
  const { status = NONE, codes, params, stops, faults, form } = evidence;
  add(STATUS, status);
  const statusClass = Math.floor(status / 100);
  add(STATUS_CLASS, statusClass);
  add(FORM, hashOf(form));
  for (const stop of stops) add(STOP, hashOf(stop));
  for (const code of codes) {
    add(CODE, hashOf(code));
    addWords(code, CODE_WORD, false);
    // a word says the same in a message, only less surely
    addWords(code, WORD, false);
  }
  for (const param of params.slice(0, 4)) add(PARAM, hashOf(/[a-z_]+/i.exec(param)?.[0] ?? ''));
  for (const { name, code } of faults) {
    if (name !== undefined) add(FAULT, hashOf(name.slice(name.search(/[^.:]*$/))));
    if (code !== undefined) add(FAULT, hashOf(code));
  }
  for (const id of evidence.matchedFamilies.ids) {
    const family = familyHashes[id] ?? 0;
    add(FAMILY, family);
    add(FAMILY_UNDER, mix(family, statusClass));
  }
  for (const sentence of evidence.said().sentences) addConcepts(sentence, statusClass);
  addWords(evidence.text, WORD, true);
  if (evidence.text === '') for (const { message = '' } of faults) addWords(message, WORD, true);
  return signs;
}

function hashesOf(names: readonly string[]): Int32Array {
  return Int32Array.from(names, hashOf);
}

const conceptHashes = hashesOf(CONCEPTS);
const familyHashes = hashesOf(familyNames());

function hashOf(text: string): number {
  let hash = HASH_START;
  for (let at = 0; at < text.length; at++) hash = hashWith(hash, text.charCodeAt(at));
  return hash;
}

function mix(first: number, second: number): number {
  const mixed = Math.imul(first ^ (second + 0x7f4a7c15), 0x85ebca6b);
  return Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
}

function add(kind: number, value: number): void {
  const sign = mix(value, kind) | 0;
  let slot = sign & (SLOTS - 1);
  while (ages[slot] === age) {
    if (slots[slot] === sign) return;
    slot = (slot + 1) & (SLOTS - 1);
  }
  if (signs.size === MAX_SIGNS) return;
  slots[slot] = sign;
  ages[slot] = age;
  signs.list[signs.size++] = sign;
}

/** The sign of a word in a message, and that of a word in a code. */
export function wordSign(word: string): number {
  return mix(hashOf(word.slice(0, STEM_CHARS)), WORD) | 0;
}

export function codeWordSign(word: string): number {
  return mix(hashOf(word.slice(0, STEM_CHARS)), CODE_WORD) | 0;
}

/** Concepts that one sentence has together. */
function addConcepts({ found }: Sentence, statusClass: number): void {
  for (let at = 0; at < found.length; at += 2) {
    const id = found[at] ?? 0;
    const concept = conceptHashes[id] ?? 0;
    add(CONCEPT, concept);
    add(CONCEPT_UNDER, mix(concept, statusClass));
    for (let before = 0; before < at; before += 2) {
      const other = found[before] ?? 0;
      if (other === id) continue;
      const earlier = conceptHashes[other] ?? 0;
      add(CONCEPTS_TOGETHER, other < id ? mix(earlier, concept) : mix(concept, earlier));
    }
  }
}

/** Stems of words, and with `paired` each with the one before it; in scripts without spaces, pairs of signs. */
function addWords(text: string, kind: number, isPaired: boolean): void {
  const end = Math.min(text.length, MAX_CHARS);
  let hash = HASH_START;
  let length = 0;
  let before = 0;
  let last = 0;
  for (let at = 0; at <= end; at++) {
    const unit = at === end ? SPACE : text.charCodeAt(at);
    const isCapital = unit >= CAPITAL_A && unit <= CAPITAL_Z;
    const isLetter =
      isCapital ||
      (unit >= SMALL_A && unit <= SMALL_Z) ||
      (unit >= CYRILLIC && unit < CYRILLIC_END);
    const isHump = isCapital && ((last >= SMALL_A && last <= SMALL_Z) || isDigit(last));
    if (length > 0 && (isHump || (!isLetter && unit !== APOSTROPHE))) {
      add(kind, hash);
      if (isPaired && before !== 0) add(PAIR, mix(before, hash));
      before = hash;
      hash = HASH_START;
      length = 0;
    }
    if (isLetter) {
      if (length++ < STEM_CHARS) hash = hashWith(hash, isCapital ? unit | 0x20 : unit);
    } else if (unit >= UNSPACED) {
      if (last >= UNSPACED) add(kind, mix(last, unit));
      before = 0;
    } else if (isDigit(unit) && !isDigit(last)) before = isPaired ? NUMBER : 0;
    last = unit;
  }
}

function isDigit(unit: number): boolean {
  return unit >= DIGIT_0 && unit <= DIGIT_9;
}

const SPACE = 0x20;
const APOSTROPHE = 0x27;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;
const CAPITAL_A = 0x41;
const CAPITAL_Z = 0x5a;
const SMALL_A = 0x61;
const SMALL_Z = 0x7a;
const CYRILLIC = 0x400;
const CYRILLIC_END = 0x500;
const UNSPACED = 0x3040;
