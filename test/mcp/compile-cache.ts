/** Lets a server process use compiled code from a cache; its environment would not say so. */
import { enableCompileCache } from 'node:module';

enableCompileCache();
