/**
 * Significance tests, with their public sources. Each returns a two-sided p-value: the probability of a difference at least
 * as large where both sides are in truth alike.
 */

const logFactorials: number[] = [0];

function logFactorial(n: number): number {
  for (let at = logFactorials.length; at <= n; at += 1) logFactorials.push((logFactorials[at - 1] ?? 0) + Math.log(at));
  return logFactorials[n] ?? 0;
}

const logChoose = (n: number, k: number): number => logFactorial(n) - logFactorial(k) - logFactorial(n - k);

/** Probabilities that are equal up to rounding count as equally extreme. */
const ROUNDING = 1 + 1e-7;

/**
 * Fisher's exact test of two shares: the sum of the hypergeometric probabilities that are at most that of what was observed
 * (https://en.wikipedia.org/wiki/Fisher%27s_exact_test).
 */
export function fisherExact(
  a: Readonly<{ count: number; of: number }>,
  b: Readonly<{ count: number; of: number }>,
): number {
  const total = a.of + b.of;
  const marked = a.count + b.count;
  const probability = (count: number) =>
    Math.exp(logChoose(a.of, count) + logChoose(b.of, marked - count) - logChoose(total, marked));
  const observed = probability(a.count) * ROUNDING;
  let sum = 0;
  for (let count = Math.max(0, marked - b.of); count <= Math.min(a.of, marked); count += 1) {
    const each = probability(count);
    if (each <= observed) sum += each;
  }
  return Math.min(1, sum);
}

/**
 * The sign test: how likely a fair coin is to fall this unevenly. On pairs of which one side failed it is McNemar's exact test
 * (https://en.wikipedia.org/wiki/Sign_test, https://en.wikipedia.org/wiki/McNemar%27s_test).
 */
export function signTest(wins: number, losses: number): number {
  const n = wins + losses;
  let tail = 0;
  for (let k = 0; k <= Math.min(wins, losses); k += 1) tail += Math.exp(logChoose(n, k) - n * Math.LN2);
  return Math.min(1, 2 * tail);
}

/** The result of a rank test; `lead`: positive where the second side tends to be larger. */
export type RankTest = Readonly<{ p: number; lead: number }>;

/**
 * The Mann–Whitney U test in its normal approximation, corrected for ties and continuity
 * (https://en.wikipedia.org/wiki/Mann%E2%80%93Whitney_U_test).
 */
export function mannWhitney(xs: readonly number[], ys: readonly number[]): RankTest {
  const [n, m] = [xs.length, ys.length];
  const all = [...xs.map((value) => ({ value, isY: 0 })), ...ys.map((value) => ({ value, isY: 1 }))];
  const { rankSum, ties } = rank(all.map(({ value, isY }) => ({ size: value, counts: isY })));
  const u = rankSum - (m * (m + 1)) / 2;
  const total = n + m;
  const variance = ((n * m) / 12) * (total + 1 - ties / (total * (total - 1)));
  return normalTest(u - (n * m) / 2, variance);
}

/**
 * Wilcoxon's signed-rank test of differences between pairs, zeros dropped, in its normal approximation, corrected for ties and
 * continuity (https://en.wikipedia.org/wiki/Wilcoxon_signed-rank_test).
 */
export function wilcoxonSignedRank(differences: readonly number[]): RankTest {
  const entries = differences
    .filter((each) => each !== 0)
    .map((each) => ({ size: Math.abs(each), counts: each > 0 ? 1 : 0 }));
  const n = entries.length;
  const { rankSum, ties } = rank(entries);
  const variance = (n * (n + 1) * (2 * n + 1)) / 24 - ties / 48;
  return normalTest(rankSum - (n * (n + 1)) / 4, variance);
}

/** Ranks entries by size, ties by their mean rank; adds up the ranks of those that count. `ties`: the sum of t³ − t. */
function rank(entries: readonly Readonly<{ size: number; counts: number }>[]) {
  const sorted = entries.toSorted((a, b) => a.size - b.size);
  let [rankSum, ties] = [0, 0];
  for (let from = 0; from < sorted.length; ) {
    let to = from;
    let counted = 0;
    while (to < sorted.length && sorted[to]?.size === sorted[from]?.size) {
      counted += sorted[to]?.counts ?? 0;
      to += 1;
    }
    rankSum += counted * ((from + 1 + to) / 2);
    ties += (to - from) ** 3 - (to - from);
    from = to;
  }
  return { rankSum, ties };
}

function normalTest(lead: number, variance: number): RankTest {
  if (!(variance > 0)) return { p: 1, lead: 0 };
  const z = Math.max(0, Math.abs(lead) - 0.5) / Math.sqrt(variance);
  return { p: twoSided(z), lead };
}

/**
 * The probability of a standard normal value beyond ±z, to 1.5e-7
 * (Abramowitz and Stegun 7.1.26, https://en.wikipedia.org/wiki/Error_function#Approximation_with_elementary_functions).
 */
function twoSided(z: number): number {
  const x = z / Math.SQRT2;
  const t = 1 / (1 + 0.3275911 * x);
  const polynomial = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  return Math.min(1, polynomial * Math.exp(-x * x));
}

/** The arithmetic mean; null: there are no values. */
export function meanOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The median, of an even count the mean of the middle two; null: there are no values. */
export function medianOf(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}

/** Bounds of 95 % confidence. */
export type Interval = Readonly<{ low: number; high: number }>;

const Z_95 = 1.959964;

/**
 * By how much the second side's values differ from the first's: the interval of the shift that the Mann–Whitney test does not
 * reject, from the ordered differences of all pairs (Hodges and Lehmann 1963, https://doi.org/10.1214/aoms/1177704172). Null: a
 * side has no values.
 */
export function shiftInterval(xs: readonly number[], ys: readonly number[]): Interval | null {
  const [n, m] = [xs.length, ys.length];
  if (n === 0 || m === 0) return null;
  const [first, second] = [sorted(xs), sorted(ys)];
  const rejected = (n * m) / 2 - Z_95 * Math.sqrt((n * m * (n + m + 1)) / 12);
  // Differences up to a limit: for each y, the xs from y − limit on.
  const countUpTo = (limit: number) => {
    let count = 0;
    for (let x = 0, y = 0; y < m; y += 1) {
      while (x < n && (first[x] ?? 0) < (second[y] ?? 0) - limit) x += 1;
      count += n - x;
    }
    return count;
  };
  const ends = [(second[0] ?? 0) - (first[n - 1] ?? 0), (second[m - 1] ?? 0) - (first[0] ?? 0)] as const;
  return innerInterval(n * m, rejected, ends, countUpTo);
}

/** The same for differences between pairs, from their Walsh averages: what Wilcoxon's signed-rank test does not reject. */
export function pairedInterval(differences: readonly number[]): Interval | null {
  const n = differences.length;
  if (n === 0) return null;
  const values = sorted(differences);
  const rejected = (n * (n + 1)) / 4 - Z_95 * Math.sqrt((n * (n + 1) * (2 * n + 1)) / 24);
  // Averages of two differences up to a limit, each pair once, also of a difference with itself.
  const countUpTo = (limit: number) => {
    let count = 0;
    for (let from = 0, to = n - 1; from < n; from += 1) {
      while (to >= 0 && ((values[from] ?? 0) + (values[to] ?? 0)) / 2 > limit) to -= 1;
      if (to < from) break;
      count += to - from + 1;
    }
    return count;
  };
  return innerInterval((n * (n + 1)) / 2, rejected, [values[0] ?? 0, values[n - 1] ?? 0], countUpTo);
}

const sorted = (values: readonly number[]): readonly number[] => values.toSorted((a, b) => a - b);

/** Bisections after which a value is known to the precision of numbers. */
const BISECTIONS = 60;

/** Of `count` ordered values the one after the first `rejected`, and the one before as many last ones. */
function innerInterval(
  count: number,
  rejected: number,
  [least, most]: readonly [number, number],
  countUpTo: (limit: number) => number,
): Interval {
  const skipped = Math.max(0, Math.floor(rejected));
  const find = (position: number): number => {
    if (countUpTo(least) >= position) return least;
    let [below, reached] = [least, most];
    for (let step = 0; step < BISECTIONS && below < reached; step += 1) {
      const middle = (below + reached) / 2;
      if (countUpTo(middle) >= position) reached = middle;
      else below = middle;
    }
    return reached;
  };
  return { low: find(skipped + 1), high: find(count - skipped) };
}
