/** Runs in every test file: removes and ends everything that helpers have made for it. */
import { afterAll, afterEach } from 'vitest';
import { cleanUpAfterFile, cleanUpAfterTest } from './left-behind.ts';

afterEach(cleanUpAfterTest);
afterAll(cleanUpAfterFile);
