/** `errand rehearse` as people start it: exits, reports, records. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { RehearsalResult } from '../../src/rehearsal/index.ts';
import { recordFile, recordText } from '../../src/rehearsal/report/record.ts';
import { runErrand } from '../../src/cli/run-errand.cases.ts';
import { newPlace } from '../cli/errand.ts';

const place = newPlace({ isShared: true });
afterAll(() => place.remove());

const WORKFLOW = `workflow:
  name: t
  entry_point: a
  on_error:
    - {on_error: pay.no, halt: true}
nodes:
  - name: a
    type: script
    command: x
    idempotent: true
    raises: [pay.no]
    routes:
      - {to: $end}
      - {on_error: pay.no, to: sorry}
  - {name: sorry, type: set, value: "Sorry: {{ failing.error.message }}"}
`;

place.write('flow.yaml', WORKFLOW);
place.write('broken.yaml', WORKFLOW.replace('failing.error.message', 'failing.error.details.card'));
place.write('invalid.yaml', WORKFLOW.replace('to: sorry', 'to: nowhere'));

describe('errand rehearse', () => {
  it('prints the figures, and what was missed with its line', () => {
    const { exit, stdout } = place.run(['rehearse', 'flow.yaml']);
    expect(exit).toBe(0);
    expect(stdout).toMatch(
      /^flow\.yaml {3}\d+ scenarios, \d+ crash points, [\d.]+ s, no network\n/,
    );
    expect(stdout).toMatch(/routes +1\/2 +50 % +the workflow, route 1 +flow\.yaml:5/);
  });

  it('exits with 3 for a surprise, with the way to it and the command that plays it alone', () => {
    const { exit, stdout } = place.run(['rehearse', 'broken.yaml']);
    expect(exit).toBe(3);
    expect(stdout).toContain('surprise: a: pay.no');
    expect(stdout).toContain("errand rehearse broken.yaml --only 'a: pay.no' --verbose");
    expect(place.run(['rehearse', 'broken.yaml', '--only', 'calm']).exit).toBe(0);
  });

  it('exits with 3 below a minimum, and with 2 for one that is none', () => {
    const below = place.run(['rehearse', 'flow.yaml', '--min', 'routes=100', '--format', 'json']);
    expect(below.exit).toBe(3);
    expect(JSON.parse(below.stdout)).toMatchObject({
      ok: false,
      below: [{ figure: 'routes', min: 100, percent: 50 }],
    });
    expect(place.run(['rehearse', 'flow.yaml', '--min', 'rotes=100']).exit).toBe(2);
    expect(place.run(['rehearse', 'flow.yaml', '--min', 'routes=101']).exit).toBe(2);
    const bare = place.run(['rehearse', 'flow.yaml', '--min', 'routes', '--quiet']);
    expect(bare.stderr).toMatch(/--min routes needs a number from 0 to 100 →/);
    expect(place.run(['rehearse', 'flow.yaml', '--crashes', 'some']).exit).toBe(2);
  });

  it('exits with 2 for a file that is not valid, with what validate prints', () => {
    const { exit, stdout } = place.run(['rehearse', 'invalid.yaml', '--format', 'json']);
    expect(exit).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({
      isValid: false,
      files: [{ file: 'invalid.yaml', diagnostics: [{ code: 'unknown-node', line: 14 }] }],
    });
    expect(place.run(['rehearse', 'broken.yaml', 'invalid.yaml', '--crashes', 'none']).exit).toBe(
      2,
    );
  });

  it('exits with 2 for an input that a run would refuse, and for a report that has no place', () => {
    place.write(
      'typed.yaml',
      WORKFLOW.replace('nodes:', '  input: {mode: {type: string, enum: [fast, slow]}}\nnodes:'),
    );
    const wrong = place.run(['rehearse', 'typed.yaml', '-i', 'mode=late']);
    expect(wrong.exit).toBe(2);
    expect(wrong.stderr).toContain('The input mode does not fit: must be one of ["fast","slow"]');
    expect(place.run(['rehearse', 'typed.yaml', '-i', 'mode=slow']).exit).toBe(0);
    const lost = place.run(['rehearse', 'flow.yaml', '--report', 'junit=nowhere/report.xml']);
    expect(lost.exit).toBe(2);
    expect(lost.stderr).toContain('nowhere/report.xml cannot be written: there is no such folder');
  });

  it('records, and compares with what was recorded', () => {
    expect(place.run(['rehearse', 'flow.yaml', '--check']).exit).toBe(2);
    expect(place.run(['rehearse', 'flow.yaml', '--record', '--crashes', 'none']).exit).toBe(0);
    const record = readFileSync(join(place.folder, 'flow.rehearsed.jsonl'), 'utf8');
    expect(record.split('\n')).toContain(
      '{"name":"a: pay.no","status":"completed","routes":["a pay.no to"]}',
    );
    expect(place.run(['rehearse', 'flow.yaml', '--check', '--crashes', 'none']).exit).toBe(0);
    place.write('flow.rehearsed.jsonl', record.replace('a pay.no to', 'a pay.no halt'));
    const changed = place.run(['rehearse', 'flow.yaml', '--check', '--format', 'json']);
    expect(changed.exit).toBe(3);
    expect(JSON.parse(changed.stdout)).toMatchObject({
      record: { changed: ['a: pay.no'], added: [], gone: [] },
    });
    place.write('flow.rehearsed.jsonl', `${record.replace('a pay.no to', 'x')}{"name":"old"}\n`);
    place.run(['rehearse', 'flow.yaml', '--check', '--report', 'junit=changed.xml']);
    const junit = readFileSync(join(place.folder, 'changed.xml'), 'utf8');
    expect(junit).toMatch(/<testsuite name="flow.yaml" tests="(\d+)" failures="2"/);
    expect(junit).toMatch(
      /name="a: pay.no" time="[\d.]+">\n *<failure type="record" message="changed since it was recorded">/,
    );
    expect(junit).toMatch(/name="old".*\n *<failure type="record" message="gone since/);
    place.write('flow.rehearsed.jsonl', record);
    const mutants = place.run(['rehearse', 'flow.yaml', '--mutants', '--format', 'json']);
    const { coverage } = JSON.parse(mutants.stdout) as RehearsalResult;
    expect(coverage.mutants?.total).toBeGreaterThan(2);
    expect(coverage.mutants?.covered).toBe(coverage.mutants?.total);
    // what is not counted says why
    expect(coverage.mutants?.excluded).toContainEqual({
      rule: 0,
      line: 5,
      change: 'dropped',
      reason: 'no scenario takes the route',
    });
    expect(place.run(['rehearse', 'flow.yaml', '--check', '--only', 'calm']).exit).toBe(2);
  });

  it('writes JUnit, LCOV and SARIF, the same bytes each time', () => {
    const write = (): readonly string[] => {
      const reports = ['junit=j.xml', 'lcov=l.info', 'sarif=s.json'].flatMap((each) => [
        '--report',
        each,
      ]);
      place.run(['rehearse', 'broken.yaml', '--crashes', 'none', ...reports]);
      return ['j.xml', 'l.info', 's.json'].map((file) =>
        readFileSync(join(place.folder, file), 'utf8'),
      );
    };
    const [junit = '', lcov = '', sarif = ''] = write();
    expect(junit).toContain('<testsuite name="broken.yaml"');
    expect(junit).toContain('<failure type="surprise"');
    expect(lcov).toContain('SF:broken.yaml\nBRDA:14,0,1,1\nBRDA:5,0,0,0\n');
    expect(lcov).toContain('DA:5,0\nDA:14,1\n');
    expect(JSON.parse(sarif)).toMatchObject({
      version: '2.1.0',
      runs: [
        {
          results: [
            { ruleId: 'surprise', level: 'error' },
            { ruleId: 'missed-route', level: 'warning' },
          ],
        },
      ],
    });
    expect(write()).toEqual([junit, lcov, sarif]);
  });

  it('keeps the last rehearsal for the dashboard where there is a project, and else writes nothing', () => {
    const kept = join(place.folder, '.errand/rehearsals/t.json');
    expect(existsSync(join(place.folder, '.errand'))).toBe(false);
    mkdirSync(join(place.folder, '.errand'));
    place.run(['rehearse', 'flow.yaml', '--crashes', 'none']);
    expect(JSON.parse(readFileSync(kept, 'utf8'))).toMatchObject({ file: 'flow.yaml', ok: true });
  });

  it('rehearses a workflow with a module of TypeScript, which is loaded and never called', async () => {
    const file = join(import.meta.dirname, '../../examples/orders.yaml');
    const { exit, stdout } = runErrand([
      'rehearse',
      file,
      '--min',
      'routes=100,moves=100,kinds=100,mutants=100',
      '--mutants',
      '--format',
      'json',
    ]);
    // true: the command prints it
    const result = JSON.parse(stdout) as RehearsalResult;
    expect(result.coverage.mutants).toMatchObject({ covered: 5, total: 5 });
    expect(result).toMatchObject({ surprises: 0, below: [], ok: true });
    expect(exit).toBe(0);
    await expect(recordText(result)).toMatchFileSnapshot(recordFile(file));
  });

  it('plays storms, and shows nothing of its progress where nobody sees it', () => {
    const { exit, stdout, stderr } = place.run(['rehearse', 'flow.yaml', '--storm', '7']);
    expect([exit, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^storms {3}7\/7$/m);
    const json = place.run(['rehearse', 'flow.yaml', '--storm', '2', '--format', 'json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ storms: { runs: 2, broken: [] } });
    expect(place.run(['rehearse', 'flow.yaml', '--storm', 'many']).exit).toBe(2);
  });

  it('refuses a name that no scenario has, so that a typing error in CI is not green', () => {
    for (const form of [[], ['--format', 'json']]) {
      const args = ['rehearse', 'flow.yaml', '--only', 'nonsense', ...form];
      const { exit, stdout, stderr } = place.run(args);
      expect(exit).toBe(2);
      expect(`${stdout}${stderr}`).toContain('in its name');
      expect(stdout).not.toContain('"ok"');
    }
  });

  it('says which file has no scenario of the name, where another file has one', () => {
    place.write('other.yaml', WORKFLOW.replaceAll('pay.no', 'only.here'));
    const { exit, stdout } = place.run([
      'rehearse',
      'flow.yaml',
      'other.yaml',
      '--only',
      'only.here',
    ]);
    expect(exit).toBe(0);
    expect(stdout).toContain('No scenario has "only.here" in its name');
  });

  it('prints the schema of plans', () => {
    expect(JSON.parse(place.run(['schema', '--rehearsal']).stdout)).toMatchObject({
      title: 'Errand rehearsal plan',
      required: ['rehearse'],
    });
  });
});
