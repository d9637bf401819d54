/** The address of a store is a secret like any key: no program gets it unasked, and nothing keeps it. */
import { describe, expect, it } from 'vitest';
import { storeSecrets } from '../../effects/model/key-values.ts';
import type { JsonValue } from '../../errors/support/safe-json.ts';
import { createErrand } from '../errand.ts';
import { loadWorkflowText } from '../../workflow/yaml/load-workflow.ts';

const PASSWORD = 'hunter2/secret@pw';
const ADDRESS = `postgres://errand:${encodeURIComponent(PASSWORD)}@db.internal:5432/errand`;

describe('the address of a store', () => {
  it.each([
    ['postgres://u:p%40ss-word@h/db', ['p%40ss-word', 'p@ss-word']],
    ['postgresql://u:a/b@c-word@h/db', ['a/b@c-word']],
    ['postgres://h/db?user=u&password=in%20query', ['in%20query', 'in query']],
    ['acme:region?token=abc-def', ['abc-def']],
  ])('%s holds %j', (address, passwords) => {
    expect(storeSecrets(address, {})).toEqual(expect.arrayContaining([address, ...passwords]));
  });

  it.each(['memory', 'sqlite:.errand/errand.db'])('%s holds nothing', (address) => {
    expect(storeSecrets(address, { PGPASSWORD: 'unused-by-it' })).toEqual([]);
  });

  it('has its password beside it, where PostgreSQL takes it from there', () => {
    expect(storeSecrets('postgres://h/db', { PGPASSWORD: 'beside-it' })).toContain('beside-it');
  });
});

/** Output of a script that prints a variable, in a process with these settings. */
async function said(
  script: string,
  env: Record<string, string>,
  own = '{}',
): Promise<{ readonly output: JsonValue; readonly log: string }> {
  const text = `workflow: {name: s, entry_point: a}
nodes: [{name: a, type: script, command: sh, args: ["-c", ${JSON.stringify(script)}], env: ${own}, routes: [{to: $end}]}]
output: {said: "{{ a.output.stdout }}"}
`;
  const environment = { PATH: process.env['PATH'] ?? '', ...env };
  const loaded = loadWorkflowText(text, { file: 's.yaml', environment });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.diagnostics));
  const errand = await createErrand({ store: 'memory', env: environment });
  try {
    const { plan, secrets } = loaded;
    const run = await errand.start({ plan, secrets });
    const result = await run.result();
    const events: unknown[] = [];
    for await (const event of errand.history(run.id)) events.push(event);
    if (result.status !== 'completed') throw new Error(JSON.stringify(result));
    return { output: result.output, log: JSON.stringify(events) };
  } finally {
    await errand.close();
  }
}

describe('a script', () => {
  const CONFIGURED = {
    ERRAND_STORE: ADDRESS,
    PGPASSWORD: 'beside-the-address',
    OPENAI_API_KEY: 'test',
    TEMPORAL_API_KEY: 'temporal-key-0123456789',
    TEMPORAL_GRPC_META_AUTHORIZATION: 'Bearer temporal-0123456789',
    MY_DSN: `${ADDRESS}?x=1`,
    REGION: 'eu-central-1',
  };

  it('gets nothing that Errand is configured with', async () => {
    const { output } = await said('env | cut -d= -f1 | sort | tr "\\n" " "', CONFIGURED);
    const names = String((output as { said: string }).said).split(' ');
    expect(names).toEqual(expect.arrayContaining(['REGION', 'PATH']));
    for (const name of Object.keys(CONFIGURED).filter((each) => each !== 'REGION'))
      expect(names).not.toContain(name);
  });

  it.each([ADDRESS, 'sqlite:.errand/errand.db'])(
    'gets no password of a store that is a common word, unless its file says so: %s',
    async (address) => {
      const env = { ERRAND_STORE: address, PGPASSWORD: 'postgres', PGHOST: 'db.internal' };
      const print = 'printf "%s" "$(printenv PGPASSWORD || echo none) $PGHOST"';
      expect((await said(print, env)).output).toEqual({ said: 'none db.internal' });
      const own = '{PGPASSWORD: "${PGPASSWORD}"}';
      const given = await said('test "$PGPASSWORD" = postgres && printf given', env, own);
      expect(given.output).toEqual({ said: 'given' });
    },
  );

  it('gets it when its file asks for it, and its output is stored without it', async () => {
    const print =
      'printf "%s %s %s" "$A" "$(printf %s "$A" | base64)" "$(printf %s "$B" | od -An -tx1)"';
    const { output, log } = await said(print, CONFIGURED, '{A: "${ERRAND_STORE}", B: "${MY_DSN}"}');
    expect(JSON.stringify(output) + log).not.toContain('secret');
    const given = await said(
      'printf "%s" "$A" | cut -c 1-9',
      { ...CONFIGURED, ADDR: ADDRESS },
      '{A: "${ADDR}"}',
    );
    expect(given.output).toMatchObject({ said: 'postgres:\n' });
  });

  it('may print what comes from a variable that is no secret, and literals', async () => {
    const own =
      '{A: "${REGION}", B: production, C: "true", D: "${DEBUG}", E: application/json, F: "${PORT}"}';
    const env = { ...CONFIGURED, DEBUG: 'true', PORT: '8080' };
    const { output } = await said('printf "%s" "$A $B $C $D $E $F"', env, own);
    expect(output).toEqual({ said: 'eu-central-1 production true true application/json 8080' });
  });

  it('prints nothing that has a secret name or came from the environment', async () => {
    const own = '{API_TOKEN: literal-token-1, WORD: "${MY_WORD}", DB_PASS: "${P}"}';
    const env = { ...CONFIGURED, MY_WORD: 'correct-horse-9', P: 'swordfish' };
    const { output, log } = await said('printf "%s" "$API_TOKEN $WORD $DB_PASS"', env, own);
    expect(output).toEqual({ said: '[redacted] [redacted] [redacted]' });
    for (const secret of ['literal-token-1', 'correct-horse-9', 'swordfish'])
      expect(log).not.toContain(secret);
  });
});
