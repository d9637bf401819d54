/** The output of `npm start` in a fresh clone. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newPlace, type Place } from './errand.ts';
import { HAS_TERMINALS, onTerminal } from './on-a-terminal.ts';

const ROOT = join(import.meta.dirname, '../..');
const EXAMPLE = join(ROOT, 'examples/support-desk.yaml');

/** Node as it finds no package of the server. */
const LESS = `import { registerHooks } from 'node:module';
registerHooks({
  resolve(name, context, next) {
    if (!/^@?hono/.test(name)) return next(name, context);
    throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
  },
});
`;

let place: Place;
beforeAll(() => {
  place = newPlace();
});
afterAll(() => place.remove());

describe('npm start', { timeout: 300_000 }, () => {
  it('completes in spite of failures, shows what they cost, and what to read next', () => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(ROOT, 'scripts/start.mjs')],
      {
        cwd: place.folder,
        encoding: 'utf8',
        input: '',
        env: { ...place.env, ERRAND_HOME: join(place.folder, '.errand') },
      },
    );
    expect(status).toBe(0);
    const run = place.lastRun();
    for (const reported of [
      'sim/fast failed: provider.rate_limited: OpenAI is rate limiting',
      'triage: sim/careful is called instead',
      'triage: the reply does not fit, so sim/careful is called again to correct it',
      'order.missing: There is no order B-7',
      'look_up[2]/order → not_found',
      'refund runs again in 2 s',
      '3 failures handled',
    ])
      expect(stderr).toContain(reported);
    expect(stdout).toContain('"refunded": [\n    "A-1001",\n    "A-1002"\n  ]');
    expect(stdout).toContain('$0.003165 for 8 calls, $0.001401 of it for failed attempts');
    expect(stdout).toContain(`errand explain ${run} `);
    expect(place.json(['explain', run])).toMatchObject({
      error: null,
      life: [
        { kind: 'provider.rate_limited', status: 'handled' },
        { kind: 'order.missing', status: 'handled' },
        { kind: 'payment.busy', status: 'handled' },
      ],
    });
  });

  it.each(['serve', `run ${EXAMPLE} --ui`])(
    'installs less than errand %s needs, which says what to do',
    (command) => {
      place.write('less.mjs', LESS);
      const { status, stderr } = spawnSync(
        process.execPath,
        [
          `--import=${join(place.folder, 'less.mjs')}`,
          join(ROOT, 'bin/errand.mjs'),
          ...command.split(' '),
        ],
        { cwd: place.folder, encoding: 'utf8', input: '', env: place.env },
      );
      expect(status).toBe(2);
      expect(stderr).toContain('Not all packages that this command needs are installed');
      expect(stderr).toContain('Run npm ci in the checkout of Errand');
    },
  );

  it.skipIf(!HAS_TERMINALS)(
    'asks the person at the terminal, with the live view of the run',
    async () => {
      const { exit, screen, written } = await onTerminal(place, ['run', EXAMPLE], {
        keys: [['answer: ', '1\n']],
        env: { NO_COLOR: '1' },
      });
      expect(exit).toBe(0);
      const seen = screen.join('\n');
      expect(written).toContain('sim/careful');
      expect(written).toMatch(/refund {2}again in \d s \(payment\.busy\)/);
      expect(seen).toMatch(/triage {2}3 requests, sim\/careful, \d+ tokens, \$0\.003165, \d/);
      expect(seen).toMatch(/look_up {2}3 of 3 done/);
      expect(seen).toContain('approve asks: Refund $65 for A-1001, A-1002?\n  1  pay  Pay it\n');
      expect(seen).toMatch(/▪ completed in \d.*\$0\.001401 of it on failures; 3 failures handled/);
    },
  );
});
