/** Only in the fast loop: properties that name no count are tried less often. */
import fc from 'fast-check';
import { FAST_PROPERTY_RUNS } from './runs.ts';

fc.configureGlobal({ ...fc.readConfigureGlobal(), numRuns: FAST_PROPERTY_RUNS });
