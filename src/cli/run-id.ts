/** The shape of the ids that runs get; by chance, one contains a word such as `key`. */
export const RUN_ID = /^[0-9a-hjkmnp-tv-z]{24}$/;
