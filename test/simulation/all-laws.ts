/** All laws: those of every run, and those of runs whose file changes between legs. */
import { LAWS as OF_EVERY_RUN } from '../../src/rehearsal/laws/laws.ts';
import type { Law } from '../../src/rehearsal/laws/subject.ts';
import { driftIsSaid, newTextIsTaken } from './drift-laws.ts';

export const LAWS: readonly Law[] = [...OF_EVERY_RUN, driftIsSaid, newTextIsTaken];
