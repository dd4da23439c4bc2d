import { recentEntries } from "../../../../lib/values/tables/recent-entries.ts";

/** What hedging needs to know of the past, in memory. */
export type Hedges = {
  /** A channel took this long to the first token of a model, or longer. */
  observe(channelId: number, model: string, firstTokenMs: number): void;
  /** The 95th percentile of a channel's latest times to first token; null: too few are known. */
  p95(channelId: number, model: string): number | null;
  /** A call of the route costs about so much (quota units), whoever serves it. */
  spend(route: string, cost: number): void;
  /** Takes the cost of a cancelled attempt from the route's budget, in percent of what it spends. False: it is used up. */
  reserve(route: string, cost: number, maxExtraPercent: number): boolean;
  /** Gives back what was reserved for an attempt that was not sent, or served the call. */
  release(route: string, cost: number): void;
  /** Takes over what another worker of this host has seen or done. */
  learn(news: HedgeNews): void;
};

/** A time to first token (ms), or what a call added to a route's spending or extra spending (quota units; below 0: given back). */
export type HedgeNews =
  | Readonly<{ channelId: number; model: string; firstTokenMs: number }>
  | Readonly<{ route: string; spent: number; extra: number }>;

/** So many of the latest calls are remembered, and fewer than these say nothing. */
const [MOST_SAMPLES, FEWEST_SAMPLES] = [64, 20];
const MAX_ENTRIES = 2000;
/** Spending is forgotten by half after each period. */
const HALF_LIFE_MS = 30 * 60_000;

type Budget = { spent: number; extra: number; since: number };

/** Creates the memory of hedging. `now`: of tests. `onNews`: called with what calls of this process have seen or done. */
export function createHedges(now: () => number = Date.now, onNews: (news: HedgeNews) => void = () => {}): Hedges {
  const samples = recentEntries<string, number[]>(MAX_ENTRIES);
  const budgets = recentEntries<string, Budget>(MAX_ENTRIES);
  const budgetOf = (route: string): Budget => {
    const known = budgets.get(route) ?? { spent: 0, extra: 0, since: now() };
    budgets.set(route, known);
    const halves = Math.floor((now() - known.since) / HALF_LIFE_MS);
    if (halves > 0) {
      known.spent /= 2 ** halves;
      known.extra /= 2 ** halves;
      known.since += halves * HALF_LIFE_MS;
    }
    return known;
  };
  const learn = (news: HedgeNews) => {
    if ("route" in news) {
      const budget = budgetOf(news.route);
      budget.spent += news.spent;
      budget.extra = Math.max(0, budget.extra + news.extra);
      return;
    }
    const name = `${news.channelId} ${news.model}`;
    const latest = samples.get(name) ?? [];
    latest.push(news.firstTokenMs);
    if (latest.length > MOST_SAMPLES) latest.shift();
    samples.set(name, latest);
  };
  const happened = (news: HedgeNews) => {
    learn(news);
    onNews(news);
  };
  return {
    learn,
    observe: (channelId, model, firstTokenMs) => happened({ channelId, model, firstTokenMs }),
    p95(channelId, model) {
      const latest = samples.get(`${channelId} ${model}`);
      if (!latest || latest.length < FEWEST_SAMPLES) return null;
      return latest.toSorted((a, b) => a - b)[Math.ceil(latest.length * 0.95) - 1] ?? null;
    },
    spend: (route, cost) => happened({ route, spent: cost, extra: 0 }),
    reserve(route, cost, maxExtraPercent) {
      const budget = budgetOf(route);
      if (budget.extra + cost > (budget.spent * maxExtraPercent) / 100) return false;
      happened({ route, spent: 0, extra: cost });
      return true;
    },
    release: (route, cost) => happened({ route, spent: 0, extra: -cost }),
  };
}
