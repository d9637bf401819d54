/** All laws that hold of every run, whatever went wrong around it. */
import { withinMaxRetries, withinWorstCase, onePerRequest } from './laws/bounded-attempts.ts';
import { damageIsSaid, everyAttemptIsBilled, noSecrets } from './laws/books.ts';
import {
  oneClassification,
  surfacesAsItself,
  theEndIsKnown,
  theSameKind,
} from './laws/classified-once.ts';
import { groupsSayTheTruth, handledFailures, reallySucceeded } from './laws/no-silent-success.ts';
import { nothingBlindly, nothingRepeated, oneKeyOneAction } from './laws/nothing-repeated.ts';
import {
  cancelledWins,
  comesToAnEnd,
  gapFree,
  nothingLeftRunning,
  oneRestPerLeg,
  restsAreFinal,
  signalsAreHeard,
  typedEndings,
} from './laws/one-ending.ts';
import { replaysTheSame, resumesTheSame } from './laws/replay.ts';
import type { Law } from './subject.ts';

export const LAWS: readonly Law[] = [
  oneClassification,
  theSameKind,
  surfacesAsItself,
  theEndIsKnown,
  withinWorstCase,
  withinMaxRetries,
  onePerRequest,
  nothingRepeated,
  nothingBlindly,
  oneKeyOneAction,
  reallySucceeded,
  handledFailures,
  groupsSayTheTruth,
  gapFree,
  restsAreFinal,
  oneRestPerLeg,
  cancelledWins,
  signalsAreHeard,
  nothingLeftRunning,
  comesToAnEnd,
  typedEndings,
  everyAttemptIsBilled,
  damageIsSaid,
  noSecrets,
  replaysTheSame,
  resumesTheSame,
];
