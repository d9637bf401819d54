/** Lets a server process take compiled code from a cache; it gets no environment that would say so. */
import { enableCompileCache } from 'node:module';

enableCompileCache();
