import { describe, expect, it } from 'vitest';
import { recentTexts } from './recent-texts.ts';

describe('recent texts', () => {
  it('keeps what recurs among many that do not', () => {
    const recent = recentTexts<number>(8);
    recent.set('again', 1);
    for (let count = 0; count < 100; count++) {
      recent.set(`once ${count}`, count);
      expect(recent.get('again')).toBe(1);
    }
  });

  it('forgets a text that did not recur among as many as it may keep', () => {
    const recent = recentTexts<number>(8);
    recent.set('first', 1);
    for (let count = 0; count < 8; count++) recent.set(`other ${count}`, count);
    expect(recent.get('first')).toBeUndefined();
    expect(recent.get('other 7')).toBe(7);
  });
});
