import { describe, expect, it } from 'vitest';
import type { ClaimOwner } from '../../machine/ports/store-port.ts';
import { isHeld, livenessOf, newOwner, type ProcessTable } from './claim-owner.ts';

const OWNER: ClaimOwner = {
  id: 'theirs',
  host: 'worker-0',
  boot: 'boot-1',
  pidNamespace: 'pid:[1]',
  pid: 42,
  processStartedAt: '1000',
};

/** A system that has this process under the pid of the owner, or none. */
function system(
  process: ReturnType<ProcessTable['find']>,
  changes: Partial<ProcessTable> = {},
): ProcessTable {
  const { host, boot = '', pidNamespace = '' } = OWNER;
  return { host, boot, pidNamespace, find: () => process, ...changes };
}

describe('an owner of this boot and PID namespace', () => {
  it.each([
    ['is gone when there is no such process', null, 'gone'],
    ['is gone when its pid is used again', { startedAt: '2000' }, 'gone'],
    ['is gone when it only waits to be buried', { state: 'Z', startedAt: '1000' }, 'gone'],
    ['lives when its process does', { state: 'S', startedAt: '1000' }, 'alive'],
    ['lives as long as its lease when the system does not say when it began', {}, 'unknown'],
  ])('%s', (_, process, lives) => {
    expect(livenessOf(OWNER, system(process))).toBe(lives);
  });
});

describe('an owner whose pid means nothing here', () => {
  it.each([
    ['of another PID namespace', { pidNamespace: 'pid:[2]' }],
    ['of another boot', { boot: 'boot-2' }],
    ['on another host', { host: 'worker-1' }],
    ['seen from a system that tells no boot', { boot: '' }],
    ['seen from a system that tells no namespace', { pidNamespace: '' }],
  ])('%s lives as long as its lease', (_, changes) => {
    for (const process of [null, { startedAt: '2000' }, { state: 'Z' }])
      expect(livenessOf(OWNER, system(process, changes))).toBe('unknown');
  });

  it('is one without boot and namespace, whatever this system reports', () => {
    const { boot: _, pidNamespace: __, ...untold } = OWNER;
    expect(livenessOf(untold, system(null))).toBe('unknown');
    expect(livenessOf(untold, system(null, { boot: '', pidNamespace: '' }))).toBe('unknown');
    expect(livenessOf({ ...untold, boot: '', pidNamespace: '' }, system(null))).toBe('unknown');
  });
});

it('this process knows only the leases of its own backends', () => {
  expect(livenessOf(newOwner('me'))).toBe('unknown');
});

describe('a claim', () => {
  const claim = { owner: OWNER, epoch: 1, untilMs: 5 };
  it('is held while its lease lasts by the store, whatever the clock is here', () => {
    expect(isHeld({ ...claim, leftMs: 1 }, () => 'unknown')).toBe(true);
    expect(isHeld({ ...claim, leftMs: 0 }, () => 'unknown')).toBe(false);
    expect(isHeld({ ...claim, untilMs: 2 ** 52, leftMs: -1 }, () => 'unknown')).toBe(false);
    expect(isHeld({ ...claim, leftMs: 1 }, () => 'gone')).toBe(false);
    expect(isHeld(null)).toBe(false);
  });

  it('is held past its lease by a process that is seen to live', () => {
    expect(isHeld({ ...claim, leftMs: -86_400_000 }, () => 'alive')).toBe(true);
  });
});
