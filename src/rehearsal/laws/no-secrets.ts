/** P9: no report contains a secret. */
import { SECRET } from './secret.ts';
import { reportsOf, type Law } from './subject.ts';

export const noSecrets: Law = {
  name: 'no report holds text in the shape of a key',
  promise: 'P9 nothing secret leaves',
  breaches: (subject) =>
    reportsOf(subject).flatMap(({ id, kind, message, details }) =>
      message.includes(SECRET) || JSON.stringify(details ?? null).includes(SECRET)
        ? [`${id} ${kind} holds a key`]
        : [],
    ),
};
