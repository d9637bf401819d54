/**
 * Matches a pattern against a text in linear time. It follows all states of the automaton at once and
 * caches the transitions between sets of states, so that a long text costs about one step per character.
 */
import type { Meter } from '../json-schema/step-budget.ts';
import { EDGE_MARKS, type Automaton, type Instruction, type Program } from './compile-pattern.ts';

/** Size of the cache; beyond it the cache is cleared, which only costs time. */
const MAX_SETS = 500;

/** States at a position, before its marks are applied. */
interface WaySet {
  readonly seeds: readonly number[];
  /** By the marks of the position. */
  readonly at: Map<number, Open>;
}

interface Open {
  readonly isMatch: boolean;
  readonly takes: readonly Extract<Instruction, { type: 'take' }>[];
  /** By the class of the next character. */
  readonly after: Map<number, WaySet>;
}

/** The cache belongs to one check, so that the steps of one check do not depend on another. */
export class Matcher {
  readonly #program: Program;
  readonly #meter: Meter;
  /** Characters that no atom distinguishes form one class. */
  readonly #classes = new Map<string, number>();
  readonly #members: (readonly boolean[])[] = [];
  readonly #byCode = new Map<number, number>();
  readonly #sets = new Map<Automaton, Map<string, WaySet>>();

  constructor(program: Program, meter: Meter) {
    this.#program = program;
    this.#meter = meter;
  }

  test(text: string): boolean {
    const { main, looks } = this.#program;
    this.#meter.spend(1 + text.length);
    const codes = codesOf(text);
    const classes = codes.map((code) => this.#classOf(code));
    const marks = edgesOf(codes);
    for (const look of looks) {
      this.#run(look, { classes, marks }, (position, isMatch) => {
        if (isMatch !== look.isNegated) marks[position] = (marks[position] ?? 0) | look.mark;
        return false;
      });
    }
    return this.#run(main, { classes, marks }, (_, isMatch) => isMatch);
  }

  /** Reports for each position whether a match ends there, until the callback returns true. */
  #run(
    automaton: Automaton,
    { classes, marks }: { readonly classes: Uint32Array; readonly marks: Uint32Array },
    report: (position: number, isMatch: boolean) => boolean,
  ): boolean {
    const { isBackward, start } = automaton;
    let ways = this.#setOf(automaton, [start]);
    for (let step = 0; step <= classes.length; step++) {
      const position = isBackward ? classes.length - step : step;
      this.#meter.spend(1);
      const open = this.#openAt(ways, marks[position] ?? 0, automaton);
      if (report(position, open.isMatch)) return true;
      const coming = classes[isBackward ? position - 1 : position];
      if (coming !== undefined) ways = this.#after(open, coming, automaton);
    }
    return false;
  }

  #openAt(ways: WaySet, marks: number, { instructions }: Automaton): Open {
    const known = ways.at.get(marks);
    if (known !== undefined) return known;
    const waiting = [...ways.seeds];
    const seen = new Set<number>();
    const takes: Extract<Instruction, { type: 'take' }>[] = [];
    let isMatch = false;
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      if (seen.has(at)) continue;
      seen.add(at);
      const instruction = instructions[at];
      if (instruction === undefined) continue;
      if (instruction.type === 'match') isMatch = true;
      else if (instruction.type === 'take') takes.push(instruction);
      else if (instruction.type === 'split') waiting.push(...instruction.next);
      else if ((marks & instruction.mark) !== 0) waiting.push(instruction.next);
    }
    this.#meter.spend(seen.size);
    const open: Open = { isMatch, takes, after: new Map() };
    ways.at.set(marks, open);
    return open;
  }

  #after(open: Open, coming: number, automaton: Automaton): WaySet {
    const known = open.after.get(coming);
    if (known !== undefined) return known;
    const fits = this.#members[coming] ?? [];
    this.#meter.spend(1 + open.takes.length);
    // a match may begin at every position
    const seeds = new Set([automaton.start]);
    for (const { atom, next } of open.takes) if (fits[atom] === true) seeds.add(next);
    const ways = this.#setOf(
      automaton,
      [...seeds].sort((one, other) => one - other),
    );
    open.after.set(coming, ways);
    return ways;
  }

  #setOf(automaton: Automaton, seeds: readonly number[]): WaySet {
    let sets = this.#sets.get(automaton);
    if (sets === undefined || sets.size >= MAX_SETS) {
      sets = new Map();
      this.#sets.set(automaton, sets);
    }
    const key = seeds.join(' ');
    const known = sets.get(key);
    if (known !== undefined) return known;
    const made: WaySet = { seeds, at: new Map() };
    sets.set(key, made);
    return made;
  }

  #classOf(code: number): number {
    const known = this.#byCode.get(code);
    if (known !== undefined) return known;
    const { atoms } = this.#program;
    this.#meter.spend(1 + atoms.length);
    const character = String.fromCodePoint(code);
    const fits = atoms.map((test) => test(character));
    const key = fits.map(Number).join('');
    const found = this.#classes.get(key) ?? this.#members.push(fits) - 1;
    this.#classes.set(key, found);
    this.#byCode.set(code, found);
    return found;
  }
}

function codesOf(text: string): Uint32Array {
  const codes = new Uint32Array(text.length);
  let count = 0;
  for (let at = 0; at < text.length;) {
    const code = text.codePointAt(at) ?? 0;
    codes[count++] = code;
    at += code > 0xff_ff ? 2 : 1;
  }
  return codes.subarray(0, count);
}

function edgesOf(codes: Uint32Array): Uint32Array {
  const marks = new Uint32Array(codes.length + 1);
  for (let position = 0; position <= codes.length; position++) {
    const isBorder = isWord(codes[position - 1]) !== isWord(codes[position]);
    marks[position] =
      (position === 0 ? EDGE_MARKS.start : 0) |
      (position === codes.length ? EDGE_MARKS.end : 0) |
      (isBorder ? EDGE_MARKS.word : EDGE_MARKS['no word']);
  }
  return marks;
}

/** Digits, letters and `_` of ASCII: what `\w` means. */
function isWord(code = 0): boolean {
  return (
    (code >= 48 && code <= 57) ||
    (code >= 65 && code <= 90) ||
    code === 95 ||
    (code >= 97 && code <= 122)
  );
}
