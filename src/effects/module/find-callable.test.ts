import { describe, expect, it } from 'vitest';
import { tool } from '../../workflow/authoring/define-tool.ts';
import { createFindCallable, describeCallables } from './find-callable.ts';

describe('what a host registers', () => {
  it('is described like the exports of a module', async () => {
    const described = await describeCallables({
      plain: () => 1,
      declared: tool({ description: 'Does it.', writes: true, timeoutMs: 10, run: () => 1 }),
    });
    expect(described).toEqual({
      plain: { isDeclared: false, isIdempotent: false, writes: null },
      declared: {
        isDeclared: true,
        description: 'Does it.',
        isIdempotent: false,
        writes: true,
        timeoutMs: 10,
      },
    });
  });

  it('is refused before any run when it is not valid', async () => {
    await expect(describeCallables({ lookup: tool({ run: 1 } as never) })).rejects.toMatchObject({
      kind: 'extension.contract',
      message: 'The tool lookup of the host is declared wrongly: `run` is not a function',
    });
    await expect(describeCallables({ Thing: class {} as never })).rejects.toMatchObject({
      message: 'The host registered `Thing`, which is a class, which cannot be called',
    });
  });

  it('may be a method that uses its own object, and has each name it is registered under', async () => {
    const twice = tool({
      description: 'twice',
      run() {
        return (this as unknown as { description: string }).description;
      },
    });
    const find = createFindCallable({ functions: { a: twice, b: twice } });
    const [a, b] = [await find('call', 'a'), await find('tool', 'b')];
    expect([a.name, b.name]).toEqual(['a', 'b']);
    expect(a.run({}, {} as never)).toBe('twice');
  });

  it('does not have what objects inherit', async () => {
    const find = createFindCallable({ functions: {}, tools: {} });
    for (const name of ['constructor', 'toString', '__proto__'])
      await expect(find('call', name)).rejects.toMatchObject({ kind: 'validation.node_config' });
  });
});
