/** Scripts for tests, from text. */
import { memoryFiles } from '../../src/workflow/yaml/files.cases.ts';
import { loadScript, type Script } from '../../src/simulator-server/reply-script.ts';

export function scriptOf(text: string, others: Readonly<Record<string, string>> = {}): Script {
  const files = memoryFiles({ 'script.yaml': text, ...others });
  return loadScript('script.yaml', files, {});
}
