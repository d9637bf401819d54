/** The names of the model providers that a host or its extensions make known. */
export function modelProviders({
  models,
  providers,
}: {
  /** By `provider/name`. */
  readonly models: object;
  /** By name. */
  readonly providers: object;
}): readonly string[] {
  const ofModels = Object.keys(models).map((model) => model.split('/')[0] ?? model);
  return [...Object.keys(providers), ...ofModels];
}
