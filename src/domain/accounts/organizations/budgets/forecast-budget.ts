/** A budget's running period; amounts in quota units, times in epoch seconds. */
type Spending = Readonly<{ limit: number; spent: number; periodStart: number; renewsAt: number }>;

/** A pace over less than an hour says nothing. */
const LEAST_ELAPSED_S = 3600;

/**
 * What will have been spent when the period ends, and when the limit is reached, both at the pace of the period so far. Null:
 * too early to say, or it does not happen in this period.
 */
export function forecastBudget(
  { limit, spent, periodStart, renewsAt }: Spending,
  now: number,
): Readonly<{ forecast: number | null; runsOutAt: number | null }> {
  const elapsed = now - periodStart;
  if (elapsed < LEAST_ELAPSED_S) return { forecast: null, runsOutAt: null };
  const perSecond = spent / elapsed;
  const forecast = renewsAt === 0 ? null : Math.round(spent + perSecond * Math.max(0, renewsAt - now));
  if (spent >= limit || perSecond === 0) return { forecast, runsOutAt: null };
  const runsOutAt = Math.round(now + (limit - spent) / perSecond);
  return { forecast, runsOutAt: renewsAt !== 0 && runsOutAt >= renewsAt ? null : runsOutAt };
}
