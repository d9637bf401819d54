/**
 * Whether a function called a server and does not know the outcome. An author's own raise is
 * believed, and so is a report that the run of another Errand recorded, which has a location there.
 * The report of a call with resilience says no more than the bare failure, so it is read like one.
 */
import { isReservedKind, matchesKind } from '../../errors/catalog/kinds.ts';
import { PROBLEM_RULE } from '../../errors/report/read-problem.ts';
import type { ReportDraft } from '../../errors/report/report.ts';
import { isInstance, isPlainObject, readProperty } from '../../errors/support/safe-json.ts';
import { carriedReport } from '../../errors/thrown/cause-reports.ts';
import { causeChain } from '../../errors/thrown/cause-chain.ts';
import { failuresWithin } from '../../errors/thrown/held-failures.ts';
import { linksOf } from '../../providers/extract/links.ts';
import { draftFrom } from '../../providers/report-from.ts';
import { isLostConnection } from './lost-connection.ts';
import { OwnFailure } from '../thrown-failure.ts';

/** Statuses of a gateway that got no response from its server in time. */
const UNANSWERED: ReadonlySet<number> = new Set([408, 504, 524]);

/** Statuses of a gateway that lost its server, or could not understand its answer. */
const BAD_GATEWAY: ReadonlySet<number | undefined> = new Set([502, 520, 522]);

export function isUnanswered(thrown: unknown, failure: ReportDraft): boolean {
  if (isInstance(thrown, OwnFailure) || !isReservedKind(failure.kind)) return false;
  if (isLeftOpen(failure, methodOf(thrown))) return true;
  // each may be another request: of `Promise.any`, or of a client's own retries
  const failures = [...new Set([...linksOf(thrown), ...failuresWithin(thrown)])];
  // a report speaks for its causes
  const spokenFor = new Set(
    failures.filter((each) => carriedReport(each) !== undefined).flatMap((each) => causesOf(each)),
  );
  return failures.some((each) => !spokenFor.has(each) && isOpenRequest(each, thrown));
}

/** The kind of a failure comes from one of its links; here every link counts, read alone. */
function isOpenRequest(link: unknown, thrown: unknown): boolean {
  if ([...causeChain(link)].some((each) => isOpenGrpcCall(each) || isLostConnection(each)))
    return true;
  return link !== thrown && isLeftOpen(draftFrom(link), methodOf(link));
}

function causesOf(link: unknown): readonly unknown[] {
  return [...causeChain(link)].slice(1);
}

function isLeftOpen(failure: ReportDraft, method?: string): boolean {
  const { kind, provider, outcome, attempts = [], cause, location } = failure;
  if (!isReservedKind(kind) || location !== undefined) return false;
  if (outcome === 'unknown' || endsOpen(kind, provider?.status)) return true;
  if (isOfGateway(failure, method)) return true;
  // an earlier call of the same function may have been executed, however the last one ended
  if (attempts.some((attempt) => endsOpen(attempt.kind))) return true;
  return cause !== undefined && cause.rule?.id !== PROBLEM_RULE && isLeftOpen(cause, method);
}

function endsOpen(kind: string, status?: number): boolean {
  // it gave up on a request of its own, which may have arrived
  if (kind === 'provider.stream_interrupted' || matchesKind(kind, 'cancelled.*')) return true;
  return kind === 'provider.timeout' && (status === undefined || UNANSWERED.has(status));
}

/**
 * A gateway may have passed on a request that writes. A 503 is mostly a server's own refusal, so it
 * counts only if the client says that it wrote; a model may be asked again at any time.
 */
function isOfGateway({ kind, provider }: ReportDraft, method: string | undefined): boolean {
  if (provider?.name !== undefined && provider.name !== 'mcp') return false;
  const writes = method === undefined ? undefined : !/^(?:get|head|options)$/i.test(method);
  if (kind === 'provider.server_error')
    return BAD_GATEWAY.has(provider?.status) && writes !== false;
  return kind === 'provider.overloaded' && provider?.status === 503 && writes === true;
}

/** Where clients keep the request: axios and gaxios, got and ofetch, ky and octokit, superagent. */
const REQUESTS = [['config'], ['options'], ['request'], ['response', 'req']] as const;

function methodOf(thrown: unknown): string | undefined {
  for (const link of causeChain(thrown))
    for (const path of REQUESTS) {
      const method = readProperty(path.reduce(readProperty, link), 'method');
      if (typeof method === 'string') return method;
    }
  return undefined;
}

/** CANCELLED, DEADLINE_EXCEEDED and UNAVAILABLE: the server may have executed the call. */
const OPEN_GRPC_CODES: ReadonlySet<unknown> = new Set([1, 4, 14]);

/** The error that gRPC clients throw: a numeric code, with details and metadata beside it. */
function isOpenGrpcCall(link: unknown): boolean {
  return (
    OPEN_GRPC_CODES.has(readProperty(link, 'code')) &&
    readProperty(link, 'details') !== undefined &&
    isPlainObject(readProperty(link, 'metadata'))
  );
}
