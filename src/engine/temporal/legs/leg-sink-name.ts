/** The name under which a worker registers the receiver of what workflows say about their legs. */
export const LEG_SINK = 'errandLegs';
