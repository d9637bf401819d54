/** Milliseconds that this thread has worked: what others do on a busy machine is not in it. */
export function ownMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
