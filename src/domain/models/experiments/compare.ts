import {
  fisherExact,
  type Interval,
  mannWhitney,
  meanOf,
  medianOf,
  pairedInterval,
  type RankTest,
  shiftInterval,
  signTest,
  wilcoxonSignedRank,
} from "./statistics.ts";

/** One call of a side, as far as sides are compared. */
export type Outcome = Readonly<{
  failed: boolean;
  /** Milliseconds. */
  latency: number;
  firstToken: number | null;
  /** Quota units. */
  cost: number;
}>;

/** The same request at both sides, and the judge's verdict: 1: the trial is better, −1: the control, 0: neither. */
export type Pair = Readonly<{
  control: Outcome;
  trial: Outcome;
  verdict: number | null;
}>;

export type Metric = "errors" | "latency" | "first_token" | "cost" | "judge";

export type Comparison = Readonly<{
  metric: Metric;
  /** Calls of each side that are compared; of a judge: its verdicts without ties. */
  calls: Readonly<{ control: number; trial: number }>;
  /** Means; of errors: shares from 0 to 1; of a judge: verdicts for that side. Null: nothing is known yet. */
  control: number | null;
  trial: number | null;
  /** Null: errors and judge have none. */
  medians: Readonly<{ control: number; trial: number }> | null;
  /** Of the typical difference, which the tests look at, too: 95 % of such intervals contain the true one. */
  interval: Interval | null;
  /** Which side is better beyond noise; null: not known yet. */
  better: "control" | "trial" | null;
  /** The number of calls of each side after which that was known; null: not yet. */
  decidedAt: number | null;
  /** The next number of calls of each side at which it is looked at; null: none follows. */
  nextLook: number | null;
  /** The chance of a difference that large between equals, at the latest look; null: nobody has looked yet. */
  p: number | null;
}>;

/** A number of calls at which a test is made, and the chance of a false alarm that it accepts. */
type Look = Readonly<{ at: number; threshold: number }>;

/** The share of experiments between equals in which any metric may seem to differ, however often somebody looks. */
const FALSE_ALARMS = 0.05;
const METRICS = 5;
const FIRST_LOOK = 50;
const LOOKS = 8;
/** Calls of a side after which nothing more is compared. */
export const MAX_COMPARED = FIRST_LOOK * 2 ** (LOOKS - 1);

/** Whoever may look at growing figures at any time. */
const SEQUENTIAL: readonly Look[] = Array.from({ length: LOOKS }, (_, look) => ({
  at: FIRST_LOOK * 2 ** look,
  threshold: FALSE_ALARMS / METRICS / ((look + 1) * (look + 2)),
}));

/** Compares sides that got different calls. */
export function compareSides(control: readonly Outcome[], trial: readonly Outcome[]): readonly Comparison[] {
  const shares = [control, trial].map((side) => side.map(({ failed }) => Number(failed)));
  const [a = [], b = []] = shares;
  const served = [control, trial].map((side) => side.filter(({ failed }) => !failed));
  const [c = [], d = []] = served;
  const numeric = (metric: Metric, read: (outcome: Outcome) => number | null) => {
    const [xs, ys] = [valuesOf(c, read), valuesOf(d, read)];
    return comparisonOf(metric, xs, ys, shiftInterval(xs, ys), (n) => mannWhitney(xs.slice(0, n), ys.slice(0, n)));
  };
  return [
    comparisonOf("errors", a, b, null, (n) => sharesTest(a.slice(0, n), b.slice(0, n))),
    numeric("latency", ({ latency }) => latency),
    numeric("first_token", ({ firstToken }) => firstToken),
    numeric("cost", ({ cost }) => cost),
  ];
}

/**
 * Compares sides that got the same calls: each with itself. `calls`: growing, or final: no others will follow, so that the tests
 * look once, at all of them; incomplete: nobody looks before they are final.
 */
export function comparePairs(
  pairs: readonly Pair[],
  calls: "growing" | "incomplete" | "final" = "growing",
): readonly Comparison[] {
  const looks = (count: number): readonly Look[] => {
    if (calls === "growing") return SEQUENTIAL;
    return calls === "final" && count >= 2 ? [{ at: count, threshold: FALSE_ALARMS / METRICS }] : [];
  };
  const failures = pairs.map(({ control, trial }) => [Number(control.failed), Number(trial.failed)] as const);
  const numeric = (metric: Metric, read: (outcome: Outcome) => number | null) => {
    const both = pairs.flatMap(({ control, trial }) => {
      const [x, y] = [read(control), read(trial)];
      return control.failed || trial.failed || x === null || y === null ? [] : [[x, y] as const];
    });
    const differences = both.map(([x, y]) => y - x);
    const [xs, ys] = [both.map(([x]) => x), both.map(([, y]) => y)];
    return comparisonOf(
      metric,
      xs,
      ys,
      pairedInterval(differences),
      (n) => wilcoxonSignedRank(differences.slice(0, n)),
      looks(xs.length),
    );
  };
  const [a, b] = [failures.map(([x]) => x), failures.map(([, y]) => y)];
  return [
    comparisonOf("errors", a, b, null, (n) => discordance(failures.slice(0, n)), looks(a.length)),
    numeric("latency", ({ latency }) => latency),
    numeric("first_token", ({ firstToken }) => firstToken),
    numeric("cost", ({ cost }) => cost),
    judged(pairs, looks),
  ];
}

/** Ties prove nothing: they are left out. */
function judged(pairs: readonly Pair[], looks: (calls: number) => readonly Look[]): Comparison {
  const verdicts = pairs.flatMap(({ verdict }) => (verdict ? [verdict] : []));
  const wins = (n: number) => verdicts.slice(0, n).filter((each) => each > 0).length;
  const all = verdicts.length;
  const test = (n: number) => {
    const won = wins(n);
    // As a metric in which less is better: the side with more verdicts leads downward.
    return { p: signTest(won, n - won), lead: n - 2 * won };
  };
  const compared = comparisonOf("judge", verdicts, verdicts, null, test, looks(all));
  return { ...compared, control: all - wins(all), trial: wins(all) };
}

const valuesOf = (side: readonly Outcome[], read: (outcome: Outcome) => number | null): readonly number[] =>
  side.map(read).filter((value) => value !== null);

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

function sharesTest(a: readonly number[], b: readonly number[]): RankTest {
  const [x, y] = [sumOf(a), sumOf(b)];
  return { p: fisherExact({ count: x, of: a.length }, { count: y, of: b.length }), lead: y - x };
}

function discordance(pairs: readonly (readonly [number, number])[]): RankTest {
  const onlyTrial = pairs.filter(([x, y]) => y > x).length;
  const onlyControl = pairs.filter(([x, y]) => x > y).length;
  return { p: signTest(onlyTrial, onlyControl), lead: onlyTrial - onlyControl };
}

/**
 * Compares two lists of values of which the smaller ones are better. The test looks at the first 50, 100, 200, … values of
 * both sides, and spends 1/2, 1/6, 1/12, … of the accepted false alarms there, shared by all metrics: these add up to the
 * whole however often somebody opens the page (Bonferroni's inequality over looks and metrics,
 * https://en.wikipedia.org/wiki/Bonferroni_correction; spending by look: Lan and DeMets 1983,
 * https://doi.org/10.1093/biomet/70.3.659).
 */
function comparisonOf(
  metric: Metric,
  xs: readonly number[],
  ys: readonly number[],
  interval: Interval | null,
  test: (calls: number) => RankTest,
  looks: readonly Look[] = SEQUENTIAL,
): Comparison {
  const calls = { control: xs.length, trial: ys.length };
  const common = Math.min(xs.length, ys.length);
  const [control, trial] = [meanOf(xs), meanOf(ys)];
  const [low, high] = [medianOf(xs), medianOf(ys)];
  let decided: { better: "control" | "trial"; at: number } | null = null;
  let nextLook: number | null = null;
  let latest: number | null = null;
  for (const { at, threshold } of looks) {
    if (at > common) {
      nextLook = at;
      break;
    }
    const { p, lead } = test(at);
    latest = p;
    if (p < threshold && lead !== 0) {
      decided = { better: lead > 0 ? "control" : "trial", at };
      break;
    }
  }
  return {
    ...{ metric, calls, control, trial, nextLook },
    medians: interval === null || low === null || high === null ? null : { control: low, trial: high },
    interval: common < 2 ? null : interval,
    better: decided?.better ?? null,
    decidedAt: decided?.at ?? null,
    p: latest,
  };
}
