/** Words of the rehearsal that others rely on: in the names of scenarios, and in what a move misses. */

/** The scenario of a park whose time comes, or that someone resumes. */
export const GOES_ON = 'goes on';
/** A park after which the node ran again. */
export const WENT_ON = 'went on';
