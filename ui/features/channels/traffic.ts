type Hour = Readonly<{ count: number; failed: number }>;

/** Calls, failures and the share of successes (percent; null without calls) of some hours. */
export function sumTraffic(hours: readonly Hour[]): { count: number; failed: number; success: number | null } {
  const count = hours.reduce((sum, hour) => sum + hour.count, 0);
  const failed = hours.reduce((sum, hour) => sum + hour.failed, 0);
  return { count, failed, success: count === 0 ? null : ((count - failed) / count) * 100 };
}

/** A share of successes as text: never rounded up to 100 while something failed. */
export function successText(success: number): string {
  if (success >= 99.995) return "100%";
  const decimals = success < 90 ? 1 : 2;
  const scale = 10 ** decimals;
  return `${(Math.floor(success * scale) / scale).toFixed(decimals)}%`;
}

/** Milliseconds as text: whole ones below a second, seconds above; a dash when nothing was measured. */
export function latencyText(ms: number | null): string {
  if (ms === null) return "–";
  return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(2)} s`;
}
