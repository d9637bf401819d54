/** All laws that hold of every run, whatever went wrong around it. */
import { budgetsKnowTheBill, chargesAreBilled, sumsAreRight } from './laws/bill.ts';
import {
  onePerRequest,
  withinMaxRetries,
  withinModelRequests,
  withinWorstCase,
} from './laws/bounded-attempts.ts';
import { withinBudgets, zeroMeansZero } from './laws/budgets.ts';
import {
  answersFit,
  chainsAreFollowed,
  hintsAreKept,
  nothingIsForgotten,
  turnsAreCounted,
} from './laws/conversations.ts';
import { damageIsSaid, everyAttemptIsBilled, noSecrets } from './laws/books.ts';
import {
  failsAsSaid,
  oneClassification,
  surfacesAsItself,
  theEndIsKnown,
  theSameKind,
} from './laws/classified-once.ts';
import { driftIsSaid, newTextIsTaken } from './laws/drift.ts';
import { membersAreApart } from './laws/members.ts';
import { groupsSayTheTruth, handledFailures, reallySucceeded } from './laws/no-silent-success.ts';
import {
  doneIsDone,
  nothingBlindly,
  nothingRepeated,
  oneKeyOneAction,
  refusedIsChecked,
  resultsAreKept,
} from './laws/nothing-repeated.ts';
import {
  cancelledWins,
  cancelsAreMeant,
  comesToAnEnd,
  gapFree,
  nothingLeftRunning,
  oneRestPerLeg,
  restsAreFinal,
  signalsAreHeard,
  typedEndings,
} from './laws/one-ending.ts';
import { lostEndsAreNoticed, nobodyIsRobbed } from './laws/ownership.ts';
import {
  answersAreJudged,
  decisionsAreAudited,
  nobodyIsAsked,
  oneAnswerPerGate,
  whatRanOutGoesOn,
} from './laws/people.ts';
import { replaysTheSame, resumesTheSame } from './laws/replay.ts';
import {
  actionsAreAsked,
  askedBeforeTwice,
  doubtsAreNamed,
  endsComeLast,
  placesAreAsked,
  stoppedIsDone,
} from './laws/stopped.ts';
import {
  doubtIsSaid,
  offeredWhatIsAllowed,
  partsAreApart,
  toldWhatIsSo,
} from './laws/shown-to-model.ts';
import {
  approvalsAreExact,
  correctionsAreFew,
  guardsAreHeard,
  refusedTwiceIsTheEnd,
  toolsAreAllowed,
  writesArePermitted,
} from './laws/tools.ts';
import type { Law } from './subject.ts';

export const LAWS: readonly Law[] = [
  oneClassification,
  theSameKind,
  surfacesAsItself,
  theEndIsKnown,
  failsAsSaid,
  withinWorstCase,
  withinModelRequests,
  withinMaxRetries,
  onePerRequest,
  hintsAreKept,
  chainsAreFollowed,
  nothingRepeated,
  nothingBlindly,
  askedBeforeTwice,
  doubtsAreNamed,
  endsComeLast,
  placesAreAsked,
  stoppedIsDone,
  actionsAreAsked,
  oneKeyOneAction,
  doneIsDone,
  refusedIsChecked,
  resultsAreKept,
  nothingIsForgotten,
  reallySucceeded,
  handledFailures,
  answersFit,
  groupsSayTheTruth,
  membersAreApart,
  gapFree,
  restsAreFinal,
  oneRestPerLeg,
  cancelledWins,
  cancelsAreMeant,
  signalsAreHeard,
  nothingLeftRunning,
  comesToAnEnd,
  typedEndings,
  everyAttemptIsBilled,
  chargesAreBilled,
  sumsAreRight,
  budgetsKnowTheBill,
  withinBudgets,
  zeroMeansZero,
  toolsAreAllowed,
  approvalsAreExact,
  guardsAreHeard,
  refusedTwiceIsTheEnd,
  correctionsAreFew,
  writesArePermitted,
  toldWhatIsSo,
  offeredWhatIsAllowed,
  partsAreApart,
  doubtIsSaid,
  oneAnswerPerGate,
  answersAreJudged,
  whatRanOutGoesOn,
  nobodyIsAsked,
  decisionsAreAudited,
  turnsAreCounted,
  damageIsSaid,
  lostEndsAreNoticed,
  nobodyIsRobbed,
  driftIsSaid,
  newTextIsTaken,
  noSecrets,
  replaysTheSame,
  resumesTheSame,
];
