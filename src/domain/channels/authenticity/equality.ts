/** Answers of one model to the same prompts, several for each. */
export type Samples = readonly (readonly string[])[];

const PERMUTATIONS = 999;
const COMPARED_CHARACTERS = 64;

/**
 * Tests whether two lists of answers come from the same distribution: the maximum mean discrepancy with a kernel that counts
 * equal characters, and its p-value by permutations within each prompt (Gao, Liang and Guestrin 2024, “Model Equality Testing:
 * Which Model Is This API Serving?”, https://arxiv.org/abs/2410.20247). `random`: numbers from 0 to 1.
 */
export function compareSamples(a: Samples, b: Samples, random: () => number): number {
  const prompts = a.map((answers, at) => kernelOf([...answers, ...(b[at] ?? [])], answers.length));
  const observed = prompts.reduce((sum, each) => sum + discrepancy(each, each.order), 0);
  let asLarge = 1;
  for (let round = 0; round < PERMUTATIONS; round += 1) {
    const drawn = prompts.reduce((sum, each) => sum + discrepancy(each, shuffled(each.order, random)), 0);
    if (drawn >= observed - 1e-12) asLarge += 1;
  }
  return asLarge / (PERMUTATIONS + 1);
}

type Kernel = Readonly<{ values: readonly (readonly number[])[]; order: readonly number[]; first: number }>;

const kernelOf = (answers: readonly string[], first: number): Kernel => ({
  values: answers.map((x) => answers.map((y) => similarity(x, y))),
  order: answers.map((_, at) => at),
  first,
});

/** The share of places with the same character. */
function similarity(x: string, y: string): number {
  const length = Math.min(COMPARED_CHARACTERS, Math.max(x.length, y.length));
  if (length === 0) return 1;
  let equal = 0;
  for (let at = 0; at < length; at += 1) if (x[at] === y[at]) equal += 1;
  return equal / length;
}

/** The unbiased estimate of the squared discrepancy; `order`: the first ones are one side. */
function discrepancy({ values, first }: Kernel, order: readonly number[]): number {
  const [n, m] = [first, order.length - first];
  if (n < 2 || m < 2) return 0;
  let [xx, yy, xy] = [0, 0, 0];
  for (let i = 0; i < order.length; i += 1) {
    for (let j = i + 1; j < order.length; j += 1) {
      const value = values[order[i] ?? 0]?.[order[j] ?? 0] ?? 0;
      if (j < first) xx += value;
      else if (i >= first) yy += value;
      else xy += value;
    }
  }
  return (2 * xx) / (n * (n - 1)) + (2 * yy) / (m * (m - 1)) - (2 * xy) / (n * m);
}

function shuffled(order: readonly number[], random: () => number): readonly number[] {
  const mixed = [...order];
  for (let at = mixed.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    [mixed[at], mixed[other]] = [mixed[other] ?? 0, mixed[at] ?? 0];
  }
  return mixed;
}
