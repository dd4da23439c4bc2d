import type { Strategy } from "../../../settings/option/model-routes.ts";

/** What a strategy compares; null: not known. */
export type Figures = Readonly<{
  /** Of the channels that would serve it. */
  firstTokenMs: number | null;
  tokensPerSecond: number | null;
  /** Expected time until a response of typical length is complete. */
  latencyMs: number | null;
  /** Expected cost of the call in quota units. */
  cost: number | null;
  /** Calls in progress for each of its channels, on average. */
  inFlight: number;
}>;

/** A candidate that may serve the call. */
export type Contender = Readonly<{
  weight: number;
  /** 0: can serve it now; 1: its model probably cannot; 2: all its channels cool down. */
  rank: 0 | 1 | 2;
  figures: Figures;
}>;

/** Share of calls that try a candidate without figures first, so that it gets some. */
export const EXPLORED_SHARE = 0.1;

/**
 * The order in which a route tries its candidates. Those that probably fail come last; otherwise the strategy decides, and
 * the route's own order among equals. `random`: numbers from 0 to 1.
 */
export function orderContenders<C extends Contender>(
  strategy: Strategy,
  contenders: readonly C[],
  random: () => number,
): readonly C[] {
  const ordered = strategy === "weighted" ? drawByWeight(contenders, random) : byScore(strategy, contenders, random);
  return ordered.toSorted((a, b) => a.rank - b.rank);
}

/** Draws one after the other without replacement: the first with a probability of its share of the weights. */
function drawByWeight<C extends Contender>(contenders: readonly C[], random: () => number): readonly C[] {
  // An exponential variable with the weight as its rate: the smallest one belongs to each with its share.
  const times = new Map(
    contenders.map((each) => [
      each,
      each.weight > 0 ? -Math.log(1 - random()) / each.weight : Number.POSITIVE_INFINITY,
    ]),
  );
  return contenders.toSorted((a, b) => compare(times.get(a) ?? 0, times.get(b) ?? 0));
}

function byScore<C extends Contender>(
  strategy: Strategy,
  contenders: readonly C[],
  random: () => number,
): readonly C[] {
  if (strategy === "priority") return contenders;
  const scores = scoresOf(
    strategy,
    contenders.map(({ figures }) => figures),
  );
  const byContender = new Map(contenders.map((each, at) => [each, scores[at] ?? Number.POSITIVE_INFINITY]));
  const ordered = contenders.toSorted((a, b) => compare(byContender.get(a) ?? 0, byContender.get(b) ?? 0));
  return explore(strategy, ordered, random);
}

/** Puts a candidate without figures first for a share of the calls. */
function explore<C extends Contender>(strategy: Strategy, ordered: readonly C[], random: () => number): readonly C[] {
  if (strategy !== "least-latency" && strategy !== "balanced") return ordered;
  const unknown = ordered.filter(({ figures, rank }) => figures.latencyMs === null && rank === 0);
  if (unknown.length === 0 || unknown.length === ordered.length || random() >= EXPLORED_SHARE) return ordered;
  const chosen = unknown[Math.floor(random() * unknown.length)];
  return chosen ? [chosen, ...ordered.filter((each) => each !== chosen)] : ordered;
}

/** The lowest score wins; what a strategy needs but does not know comes last. */
function scoresOf(strategy: Strategy, figures: readonly Figures[]): readonly number[] {
  switch (strategy) {
    case "least-latency":
      return figures.map(({ latencyMs }) => latencyMs ?? Number.POSITIVE_INFINITY);
    case "least-cost":
      return figures.map(({ cost }) => cost ?? Number.POSITIVE_INFINITY);
    case "least-busy":
      return figures.map(({ inFlight }) => inFlight);
    case "balanced": {
      const parts = [
        ratios(figures.map(({ latencyMs }) => latencyMs)),
        ratios(figures.map(({ cost }) => cost)),
        ratios(figures.map(({ inFlight }) => inFlight)),
      ];
      return figures.map((_, at) => parts.reduce((sum, part) => sum + (part[at] ?? 0), 0));
    }
    default:
      return figures.map(() => 0);
  }
}

/** Each value as a multiple of the best one; unknown ones count as the worst. One is added, because the best may be 0. */
function ratios(values: readonly (number | null)[]): readonly number[] {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return values.map(() => 1);
  const [best, worst] = [Math.min(...known), Math.max(...known)];
  return values.map((value) => ((value ?? worst) + 1) / (best + 1));
}

/** Also of infinite numbers, whose difference is none. */
const compare = (a: number, b: number): number => (a === b ? 0 : a < b ? -1 : 1);
