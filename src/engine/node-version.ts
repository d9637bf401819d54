/** Refuses a Node that is too old with a sentence, before a missing function of it fails somewhere inside. */
import { ErrandError } from '../errors/thrown/errand-error.ts';

/** As `engines` in `package.json` says. */
const NEEDED = { major: 22, minor: 18 };

export function refuseOldNode(version: string): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > NEEDED.major || (major === NEEDED.major && minor >= NEEDED.minor)) return;
  throw new ErrandError({
    kind: 'validation.unsupported',
    title: 'Node too old',
    message: `Errand needs Node ${NEEDED.major}.${NEEDED.minor} or newer; this is ${version}`,
    details: { version, needed: `${NEEDED.major}.${NEEDED.minor}` },
    action: { kind: 'fix_setup', detail: 'Run the application with a current Node.' },
  });
}
