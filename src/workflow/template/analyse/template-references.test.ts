import { describe, expect, it } from 'vitest';
import { parsed } from '../evaluating.cases.ts';
import type { Reference } from './template-references.ts';
import { parseExpression, parseTemplate } from '../template.ts';

/** `a.b.0`, with `?` when forgiven, `!` when guarded, `()` when called. */
function shown({ path, isForgiven, isGuarded, isCall }: Reference): string {
  return `${path.join('.')}${isForgiven ? '?' : ''}${isGuarded ? '!' : ''}${isCall ? '()' : ''}`;
}

function read(source: string): readonly string[] {
  return parsed(parseTemplate(source)).references.map(shown);
}

describe('the references of a template', () => {
  it.each([
    ['text', []],
    ['{{ a.b.c }} {{ d }}', ['a.b.c', 'd']],
    [`{{ a['b'][0].c }}`, ['a.b.0.c']],
    ['{{ a.b[i].c }}', ['i', 'a.b']],
    ['{{ a.b[1:n] }}', ['n', 'a.b']],
    ['{{ a.b.items() }}', ['a.b()']],
    [`{{ a.get(k).x }}`, ['k', 'a()']],
    ['{{ [a, {"k": b}, (c)] }}', ['a', 'b', 'c']],
    ['{{ a + b * c ~ -d }}', ['a', 'b', 'c', 'd']],
    ['{{ a < b in c and not d or e }}', ['a', 'b', 'c', 'd', 'e']],
    ['{{ a if b else c }}', ['b', 'a', 'c']],
    ['{{ range(a, b) }}', ['a', 'b']],
    ['{{ a | join(b) }}{{ c is divisibleby d }}', ['a', 'b', 'c', 'd']],
    [`{{ a | map('default', b) }}`, ['a', 'b']],
    ['{{ "text".join(a) }}', ['a']],
  ])('are all names it reads: %s', (source, expected) => {
    expect(read(source)).toEqual(expected);
  });

  it.each([
    ['{{ a.b | default(c) }}', ['a.b?', 'c']],
    ['{{ a.b is defined }}{{ a is undefined }}', ['a.b?', 'a?']],
    ['{{ (a if b else c) | d(1) }}', ['b', 'a?', 'c?']],
    ['{{ a | first | default(1) }}', ['a']],
    ['{{ a[b] | default(1) }}', ['b', 'a?']],
  ])('know whether a missing value is accepted: %s', (source, expected) => {
    expect(read(source)).toEqual(expected);
  });

  it.each([
    ['{% if a is defined %}{{ a.b }}{{ c }}{% else %}{{ a }}{% endif %}', ['a?', 'a.b!', 'c', 'a']],
    [
      '{% if a.b is defined and a.b.c %}{{ a.b.d }}{{ a }}{% endif %}',
      ['a.b?', 'a.b.c!', 'a.b.d!', 'a'],
    ],
    ['{% if a is not defined %}{% else %}{{ a }}{% endif %}', ['a?', 'a!']],
    ['{% if a is undefined %}{% elif b %}{{ a }}{% endif %}', ['a?', 'b', 'a!']],
    ['{% if not (a is defined or b is defined) %}{% else %}{{ a }}{% endif %}', ['a?', 'b?', 'a']],
    ['{% if a is undefined or a.b %}{% endif %}', ['a?', 'a.b!']],
    ['{{ a.b if a is defined else c }}', ['a?', 'a.b!', 'c']],
    ['{{ a is defined and a.b == 1 }}', ['a?', 'a.b!']],
    ['{% for x in xs if a is defined %}{{ a }}{% endfor %}{{ a }}', ['xs', 'a?', 'a!', 'a']],
  ])('know what an `is defined` around them has shown: %s', (source, expected) => {
    expect(read(source)).toEqual(expected);
  });

  it.each([
    [
      '{% for x in xs %}{{ x.y }}{{ loop.index }}{{ z }}{% else %}{{ x }}{% endfor %}{{ x }}',
      ['xs', 'z', 'x', 'x'],
    ],
    ['{% for x in x %}{{ x }}{% endfor %}', ['x']],
    ['{% for k, v in a.items() if v > w %}{{ k }}{% endfor %}', ['a()', 'w']],
    ['{{ x }}{% set x = x + y %}{{ x }}', ['x', 'x', 'y']],
    ['{% for i in a %}{% set x = i %}{{ x }}{% endfor %}{{ x }}', ['a', 'x']],
    ['{% if a %}{% set x = 1 %}{{ x }}{% else %}{{ x }}{% endif %}{{ x }}', ['a', 'x']],
    ['{% set x %}{{ y }}{% endset %}{{ x }}', ['y']],
    ['{{ loop.index }}', ['loop.index']],
    ['{{ range(3) }}{{ range.output }}', ['range.output']],
  ])('leave out what the template binds itself: %s', (source, expected) => {
    expect(read(source)).toEqual(expected);
  });

  it('have a position', () => {
    const source = 'Hi {{ a.b[i].c }}';
    const sources = parsed(parseTemplate(source)).references.map(({ offset, length }) =>
      source.slice(offset, offset + length),
    );
    expect(sources).toEqual(['i', 'a.b']);
    expect(parsed(parseExpression('exit_code == 0')).references).toEqual([
      {
        path: ['exit_code'],
        offset: 0,
        length: 9,
        isForgiven: false,
        isGuarded: false,
        isCall: false,
      },
    ]);
  });
});
