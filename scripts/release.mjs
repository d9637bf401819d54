/**
 * `npm run release -- 0.2.0`: makes a release of the committed state. It demands a clean tree and
 * green checks, sets the version, turns "Unreleased" in the changelog into the section of that
 * version, packs, commits and tags. It neither pushes nor publishes, and prints the commands for
 * both. `--dry-run` prints the plan and changes nothing.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './install.mjs';

const UNRELEASED = '## Unreleased';
const CHANGED = ['package.json', 'package-lock.json', 'CHANGELOG.md'];
/** Ignored by git, and removed by the next build. */
const PACKED = 'build/release';
const VERSION = /^(\d+)\.(\d+)\.(\d+)(-[0-9A-Za-z.-]+)?$/;
const STEPS = ['major', 'minor', 'patch'];

/** A condition that must be fixed first, with a message that says how. */
class NotReady extends Error {}

try {
  release(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof NotReady)) throw error;
  console.error(`release: ${error.message}`);
  process.exitCode = 1;
}

/** @param {readonly string[]} args */
function release(args) {
  const isDry = args.includes('--dry-run');
  const [wanted, ...more] = args.filter((word) => word !== '--dry-run');
  if (wanted === undefined || more.length > 0)
    throw new NotReady('say which version: npm run release -- 0.2.0 (or major, minor, patch)');

  /** @type {{name: string, version: string}} */
  const { name, version: present } = JSON.parse(read('package.json'));
  const version = versionAfter(present, wanted);
  const tag = `v${version}`;
  const changelog = cut(read('CHANGELOG.md'), version);
  if (git('status', '--porcelain') !== '')
    throw new NotReady('the tree has changes that are not committed: commit or stash them');
  if (git('tag', '--list', tag) !== '') throw new NotReady(`there is a tag ${tag} already`);

  const tarball = `${PACKED}/${name}-${version}.tgz`;
  if (isDry) console.log(`dry run: nothing is changed\n\nwould run     .ci/run`);
  else must('the checks are not green', join(ROOT, '.ci', 'run'), []);
  if (isDry) {
    console.log(`would set     ${present} to ${version} in package.json and package-lock.json`);
    console.log(`would cut     ${UNRELEASED} into ${changelog.heading}`);
    console.log(`would pack    ${tarball}\nwould commit  Release ${version}\nwould tag     ${tag}`);
  } else {
    try {
      writeFileSync(join(ROOT, 'CHANGELOG.md'), changelog.text);
      npm('version', version, '--no-git-tag-version', '--ignore-scripts');
      mkdirSync(join(ROOT, PACKED), { recursive: true });
      npm('pack', '--pack-destination', PACKED);
    } catch (error) {
      git('checkout', '--', ...CHANGED);
      throw error;
    }
    git('add', '--', ...CHANGED);
    git('commit', '--message', `Release ${version}`);
    git('tag', '--annotate', tag, '--message', `${name} ${version}`);
  }
  console.log(`
${isDry ? 'and print' : `${tarball} is packed, ${tag} is tagged; nothing has left this machine.`}

Look at it:   tar -tzf ${tarball}
Publish it:   git push --follow-tags
              starts .github/workflows/release.yml, which does what vouches for its origin:
              npm publish --provenance --access public
Take it back: git tag --delete ${tag} && git reset --keep HEAD~1`);
}

/**
 * @param {string} present
 * @param {string} wanted a version, or which part of the present one to raise
 * @returns {string}
 */
function versionAfter(present, wanted) {
  const [, ...parts] = VERSION.exec(present) ?? [];
  const numbers = parts.slice(0, 3).map(Number);
  const step = STEPS.indexOf(wanted);
  if (step >= 0) {
    const raised = numbers.slice(0, step + 1).map((number, at) => number + (at === step ? 1 : 0));
    return [...raised, 0, 0].slice(0, 3).join('.');
  }
  const [, ...asked] = VERSION.exec(wanted) ?? [];
  if (asked.length === 0)
    throw new NotReady(`${wanted} is no version: give one such as 0.2.0, or ${STEPS.join(', ')}`);
  const higher = asked.slice(0, 3).map((number, place) => Number(number) - (numbers[place] ?? 0));
  const difference = higher.find((each) => each !== 0) ?? 0;
  const isLater = difference > 0 || (difference === 0 && isAfterSame(asked[3], parts[3]));
  if (!isLater) throw new NotReady(`${wanted} does not come after ${present}`);
  return wanted;
}

/**
 * Whether a version comes after the present one of the same numbers: a release follows its own
 * pre-releases, and a later pre-release follows an earlier one.
 *
 * @param {string | undefined} asked what follows the three numbers
 * @param {string | undefined} present
 * @returns {boolean}
 */
function isAfterSame(asked, present) {
  if (present === undefined) return false;
  return asked === undefined || asked.localeCompare(present, 'en', { numeric: true }) > 0;
}

/**
 * @param {string} text of the changelog
 * @param {string} version
 * @returns {{readonly text: string, readonly heading: string}}
 */
function cut(text, version) {
  const at = text.indexOf(`${UNRELEASED}\n`);
  if (at < 0) throw new NotReady(`CHANGELOG.md has no section "${UNRELEASED}"`);
  const rest = text.slice(at + UNRELEASED.length);
  const [section = ''] = rest.split(/^## /m);
  if (section.trim() === '')
    throw new NotReady(`nothing is under "${UNRELEASED}" in CHANGELOG.md: say what is new`);
  const heading = `## ${version} (${new Date().toISOString().slice(0, 10)})`;
  return { text: `${text.slice(0, at)}${UNRELEASED}\n\n${heading}${rest}`, heading };
}

/**
 * @param {string} file
 * @returns {string}
 */
function read(file) {
  return readFileSync(join(ROOT, file), 'utf8');
}

/**
 * @param {...string} args
 * @returns {string} what it printed, without the last newline
 */
function git(...args) {
  return must(`git ${args[0]} failed`, 'git', args, 'pipe').trimEnd();
}

/** @param {...string} args */
function npm(...args) {
  must(`npm ${args[0]} failed`, 'npm', args);
}

/**
 * @param {string} failure what it means when the program fails
 * @param {string} program
 * @param {readonly string[]} args
 * @param {'inherit' | 'pipe'} output
 * @returns {string}
 */
function must(failure, program, args, output = 'inherit') {
  const { status, stdout, error } = spawnSync(program, args, {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', output, 'inherit'],
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error !== undefined) throw new NotReady(`${failure}: ${error.message}`);
  if (status !== 0) throw new NotReady(`${failure} (exit code ${status}); what it said is above`);
  return stdout ?? '';
}
