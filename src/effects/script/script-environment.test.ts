import { expect, it } from 'vitest';
import { createRedactor } from '../../errors/redaction/redact.ts';
import { contextFor } from '../effect-port.cases.ts';
import { scriptEnvironment } from './script-environment.ts';

function namesWith(secret: string, run: Readonly<Record<string, string>>): readonly string[] {
  const context = contextFor({ redactor: createRedactor([secret]) });
  const env = scriptEnvironment(run, {}, { context, errorFile: '/e' });
  return Object.keys(env).filter((name) => Object.hasOwn(run, name));
}

it('keeps a path that contains a short secret by chance', () => {
  const run = { PATH: '/opt/node/bin:/usr/bin', NODE_HOME: '/opt/node', MANPATH: '/opt/nodejs' };
  expect(namesWith('node', run)).toEqual(['PATH', 'NODE_HOME', 'MANPATH']);
});

it('keeps PATH and HOME whatever the secrets are', () => {
  const run = { PATH: '/opt/long-enough/bin', HOME: '/home/long-enough' };
  expect(namesWith('long-enough', run)).toEqual(['PATH', 'HOME']);
});

it('removes a variable that is a secret, or contains one between delimiters', () => {
  const run = {
    WHOLE: 'hunter2-horse',
    ADDRESS: 'postgres://me:hunter2-horse@host/db',
    LIST: 'a,hunter2-horse',
    WORD: 'xhunter2-horsey',
  };
  expect(namesWith('hunter2-horse', run)).toEqual(['WORD']);
  expect(namesWith('node', { SHORT: 'node' })).toEqual([]);
});

it('removes the address of a provider that holds credentials, however short, and keeps the proxy', () => {
  const run = {
    OPENAI_BASE_URL: 'https://gw:pw@host/v1',
    OLLAMA_BASE_URL: 'http://127.0.0.1:11434',
    HTTPS_PROXY: 'http://me:hunter2-horse@proxy:3128',
  };
  expect(namesWith('hunter2-horse', run)).toEqual(['OLLAMA_BASE_URL', 'HTTPS_PROXY']);
});
