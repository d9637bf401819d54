/** Names of the rehearsal that others rely on: in names of scenarios, and in the gaps of a move. */

/** The scenario of a park whose time comes, or that someone resumes. */
export const GOES_ON = 'goes on';
/** A park after which the node ran again. */
export const WENT_ON = 'went on';
