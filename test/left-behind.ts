/**
 * Cleanup for helpers. One process runs many test files and loads a helper once, so a hook at its
 * top would serve only the first of them. `left-behind.setup.ts` runs in each file and calls the
 * functions registered here.
 */

type CleanUp = () => unknown;

const ofTest: CleanUp[] = [];
const ofFile: CleanUp[] = [];

/** When the running test has ended; the latest first. */
export function afterThisTest(cleanUp: CleanUp): void {
  ofTest.push(cleanUp);
}

/** When all tests of the running file have ended; the latest first. */
export function afterThisFile(cleanUp: CleanUp): void {
  ofFile.push(cleanUp);
}

export async function cleanUpAfterTest(): Promise<void> {
  await cleanUp(ofTest);
}

export async function cleanUpAfterFile(): Promise<void> {
  await cleanUp(ofTest);
  await cleanUp(ofFile);
}

async function cleanUp(asked: CleanUp[]): Promise<void> {
  for (let next = asked.pop(); next !== undefined; next = asked.pop()) await next();
}
