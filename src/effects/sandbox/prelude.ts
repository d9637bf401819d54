/**
 * The JavaScript that runs inside the engine before the author's code: removes what is not deterministic,
 * and returns the function through which the code is called. It keeps its own references to what it needs,
 * because the code may change every global.
 */

/** The result of the prelude's function as JSON: always a string, whatever the code did. */
export type RunAnswer =
  | { readonly json: string }
  /** The value cannot be the output of a node. */
  | { readonly unusable: string }
  /** Empty if it is not an error, cannot be read, or did not fit into memory. */
  | {
      readonly thrown: { readonly name: string; readonly message: string; readonly stack: string };
    };

/** Clocks, randomness, code from text, and anything that reveals the garbage collector or other threads. */
const REMOVED = [
  'Atomics',
  'Date',
  'FinalizationRegistry',
  'Function',
  'SharedArrayBuffer',
  'WeakRef',
  'eval',
  'performance',
  'queueMicrotask',
];

/** An expression whose value is a function of the author's function and the input as JSON. */
export const PRELUDE = `(() => {
  'use strict';
  const { parse, stringify } = JSON;
  const { getPrototypeOf, defineProperty, prototype: plain } = Object;
  const { isArray } = Array;
  const { isFinite } = Number;
  const { apply } = Reflect;
  const { isPrototypeOf } = plain;
  const toText = String;
  const errors = [
    TypeError, RangeError, ReferenceError, SyntaxError, URIError, EvalError, InternalError, Error,
  ].map(({ name, prototype }) => ({ name, prototype }));
  const { find } = Array.prototype;

  for (const each of [function () {}, function* () {}, async function () {}, async function* () {}])
    defineProperty(getPrototypeOf(each), 'constructor', { value: undefined });
  for (const name of ${JSON.stringify(REMOVED)}) delete globalThis[name];
  delete Math.random;

  const reject = (reason) => { throw { __proto__: null, unusable: reason }; };
  const check = function (key, value) {
    switch (typeof value) {
      case 'undefined':
        if (key === '') reject('it is undefined (a body needs a return)');
        if (isArray(this)) reject('a list in it has an item that is undefined');
        return value;
      case 'function':
      case 'symbol':
      case 'bigint':
        return reject('it is or contains a ' + typeof value);
      case 'number':
        return isFinite(value) ? value : reject('it is or contains a number that is not finite');
      case 'object': {
        if (value === null || isArray(value)) return value;
        const prototype = getPrototypeOf(value);
        if (prototype === plain || prototype === null) return value;
        return reject('it is or contains an object that is not plain data');
      }
      default:
        return value;
    }
  };
  const isObject = (value) => typeof value === 'object' && value !== null;
  const encode = (value) => {
    try {
      return { json: stringify(value, check) };
    } catch (thrown) {
      if (isObject(thrown) && getPrototypeOf(thrown) === null) return thrown;
      if (isObject(thrown) && thrown.message === 'circular reference') return { unusable: 'it contains itself' };
      throw thrown;
    }
  };
  const describe = (thrown) => {
    const inherits = ({ prototype }) => apply(isPrototypeOf, prototype, [thrown]);
    const known = isObject(thrown) ? apply(find, errors, [inherits]) : undefined;
    if (known === undefined) return { name: '', message: '', stack: '' };
    return { name: known.name, message: toText(thrown.message), stack: toText(thrown.stack) };
  };

  return (code, input) => {
    try {
      return stringify(encode(code(parse(input))));
    } catch (thrown) {
      try {
        return stringify({ thrown: describe(thrown) });
      } catch {
        return '{"thrown":{"name":"","message":"","stack":""}}';
      }
    }
  };
})()`;
