/**
 * The laws that hold for every run, whatever goes wrong around it. Those of a changed file need its
 * texts.
 */
import {
  budgetsKnowTheBill,
  chargesAreBilled,
  everyAttemptIsBilled,
  sumsAreRight,
} from './bill.ts';
import {
  onePerRequest,
  withinMaxRetries,
  withinModelRequests,
  withinWorstCase,
} from './bounded-attempts.ts';
import { withinBudgets, zeroMeansZero } from './budgets.ts';
import {
  answersFit,
  chainsAreFollowed,
  hintsAreKept,
  nothingIsForgotten,
  turnsAreCounted,
} from './conversations.ts';
import {
  failsAsSaid,
  oneClassification,
  surfacesAsItself,
  theEndIsKnown,
  theSameKind,
} from './classified-once.ts';
import { membersAreApart } from './members.ts';
import { groupsSayTheTruth, handledFailures, reallySucceeded } from './no-silent-success.ts';
import {
  doneIsDone,
  nothingBlindly,
  nothingRepeated,
  keysAreKept,
  oneKeyOneAction,
  refusedIsChecked,
  resultsAreKept,
} from './nothing-repeated.ts';
import {
  cancelledWins,
  cancelsAreMeant,
  comesToAnEnd,
  gapFree,
  nothingLeftRunning,
  oneRestPerLeg,
  restsAreFinal,
  signalsAreObeyed,
  typedEndings,
} from './one-ending.ts';
import { noSecrets } from './no-secrets.ts';
import { damageIsSaid } from './store-damage.ts';
import { lostEndsAreNoticed, nobodyIsRobbed } from './ownership.ts';
import {
  anEditIsTheResult,
  answersAreJudged,
  decisionsAreAudited,
  nobodyIsAsked,
  oneAnswerPerGate,
  expiredGatesContinue,
} from './people.ts';
import { replaysTheSame, resumesTheSame } from './replay.ts';
import {
  actionsAreAsked,
  askedBeforeTwice,
  doubtsAreNamed,
  endsComeLast,
  placesAreAsked,
  stoppedIsDone,
} from './stopped.ts';
import {
  doubtIsSaid,
  offeredWhatIsAllowed,
  partsAreApart,
  shownWhatIsSo,
} from './shown-to-model.ts';
import {
  approvalsAreExact,
  correctionsAreFew,
  guardsAreObeyed,
  refusedTwiceIsTheEnd,
  toolsAreAllowed,
  writesArePermitted,
} from './tools.ts';
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
  keysAreKept,
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
  signalsAreObeyed,
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
  guardsAreObeyed,
  refusedTwiceIsTheEnd,
  correctionsAreFew,
  writesArePermitted,
  shownWhatIsSo,
  offeredWhatIsAllowed,
  partsAreApart,
  doubtIsSaid,
  oneAnswerPerGate,
  answersAreJudged,
  anEditIsTheResult,
  expiredGatesContinue,
  nobodyIsAsked,
  decisionsAreAudited,
  turnsAreCounted,
  damageIsSaid,
  lostEndsAreNoticed,
  nobodyIsRobbed,
  noSecrets,
  replaysTheSame,
  resumesTheSame,
];
