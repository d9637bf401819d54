/** Driven as a person would: a gate is answered, Ctrl-C pressed once and twice, a run resumed. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newPlace, type Place } from './errand.ts';
import { HAS_TMUX, openSession, type Session } from './tmux.ts';

const GATE = `workflow: {name: gated, entry_point: review, on_unhandled: fail}
nodes:
  - {name: review, type: human_gate, prompt: Pay the refund?, options: [{label: Approve it, value: yes}, {label: Refuse, value: no}]}
`;

/** The first time it works until it is killed, and does not listen; the second time it is quick. */
const STUBBORN = `workflow: {name: stubborn, entry_point: work, on_unhandled: fail}
nodes:
  - name: work
    type: script
    command: sh
    args: ["-c", "test -e NAME && exit 0; touch NAME; trap '' TERM INT; i=0; while [ $i -lt 100 ]; do sleep 0.2; i=$((i+1)); done"]
    idempotent: true
`;

describe.skipIf(!HAS_TMUX)('a person in tmux', { timeout: 300_000 }, () => {
  let place: Place;
  let session: Session;
  beforeAll(() => {
    place = newPlace();
    place.write('gate.yaml', GATE);
    place.write('once.yaml', STUBBORN.replaceAll('NAME', 'once'));
    place.write('twice.yaml', STUBBORN.replaceAll('NAME', 'twice'));
  });
  afterAll(() => place.remove());
  beforeEach(() => {
    session = openSession(place);
  });
  afterEach(() => session.close());

  it('leaves a gate, finds the run, and answers it when it is asked again', async () => {
    session.type('errand run gate.yaml; echo "exit=$?"');
    const asked = await session.until(/^answer:$/m);
    expect(asked).toContain(
      'review asks: Pay the refund?\n  1  yes  Approve it\n  2  no  Refuse\n',
    );
    session.press('C-c');
    const left = await session.until(/^exit=5$/m);
    const run = place.lastRun();
    expect(left).toContain('▪ paused; the run is safe');
    expect(left).toContain(`answer: errand answer ${run} review --value yes`);
    session.type(`clear; errand resume ${run}; echo "exit=$?"`);
    await session.until(/^answer:$/m);
    session.type('1');
    const done = await session.until(/^exit=0$/m);
    expect(done).toContain('  ✓ review');
    expect(done).toMatch(/^▪ completed in /m);
    expect(done).toContain('"selected": "yes"');
  });

  it('presses Ctrl-C once: the run is stopped cleanly, and is resumed later', async () => {
    session.type('errand run once.yaml; echo "exit=$?"');
    // its clock counts: the script is under way
    await session.until(/ work {2}1 s/);
    session.press('C-c');
    const left = await session.until(/^exit=130$/m);
    const run = place.lastRun();
    // the terminal breaks a line that is longer than it is wide
    expect(left.replace('^C', '').replaceAll('\n', '')).toContain(
      `▪ interrupted; the run is safe. Resume with: errand resume ${run}`,
    );
    session.type(`clear; errand resume ${run}; echo "then=$?"`);
    expect(await session.until(/^then=\d+$/m)).toMatch(/✓ work[^]*▪ completed in[^]*then=0/);
  });

  it('presses it twice: the process ends at once, and the run is safe', async () => {
    session.type('errand run twice.yaml; echo "exit=$?"');
    await session.until(/ work {2}1 s/);
    session.press('C-c', 'C-c');
    // without a word: there was no time for one
    expect(await session.until(/^exit=\d+$/m)).toMatch(/exit=130/);
    const run = place.lastRun();
    session.type('clear; errand runs --limit 1');
    await session.until(new RegExp(`interrupted[^]*errand resume ${run}`));
    session.type(`clear; errand resume ${run}; echo "exit=$?"`);
    expect(await session.until(/^exit=\d+$/m)).toMatch(/▪ completed in[^]*exit=0/);
  });

  it('asks for help, mistypes, and is helped', async () => {
    session.type(`errand --help | sed -n '/^Run workflows/,$p' | head -n 36`);
    const help = await session.until(/Write workflows:/);
    expect(help).toContain('Run workflows:');
    session.type('clear; errand rsume x; echo "exit=$?"');
    expect(await session.until(/^exit=2$/m)).toContain('Did you mean resume?');
  });

  it('sees what a rehearsal plays, in one line that is gone at the end', async () => {
    session.type('errand rehearse gate.yaml --storm 400; echo "exit=$?"');
    await session.until(/^gate\.yaml: (?:\d+ scenarios; |crash point |storm )/m);
    const done = await session.until(/^exit=0$/m);
    expect(done).toMatch(/^gate\.yaml {3}\d+ scenarios/m);
    expect(done).toMatch(/^storms {3}400\/400$/m);
    expect(done).not.toMatch(/^gate\.yaml: /m);
  });
});
