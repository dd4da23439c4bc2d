/** Source files to mutate, and the test files that should notice, as globs. */
export type Area = Readonly<{
  sources: readonly string[];
  tests: readonly string[];
  /** Share of the mutants that the tests must notice, in percent. */
  gate: number;
}>;

const own = (folder: string) => ({ sources: [`${folder}/**/*.ts`], tests: [`${folder}/**/*.test.ts`] });

/** Where a mistake costs money, lets somebody in or sends a call to the wrong place. */
export const AREAS = {
  pricing: { ...own("src/billing/pricing"), gate: 95 },
  settlement: {
    sources: ["src/gateway/money/{price,reserve,price-usage}.ts"],
    // Without those of settle-call.ts, which is no source here: they measure how long streams take.
    tests: [
      "src/gateway/money/{call-labels,count-tokens,hold-amount,hosted-tools,log-content,log-row,price-usage,price,reserve,service-tiers}.test.ts",
    ],
    gate: 95,
  },
  ledger: {
    sources: ["src/billing/ledger/**/*.ts"],
    // Those that let processes compete for one database take seconds each, and leave work in the background.
    tests: [
      "src/billing/ledger/{availability,backing,ledger,ledger-upkeep,open-ledger,outage}.test.ts",
      "src/billing/ledger/*/*.test.ts",
    ],
    gate: 85,
  },
  routing: {
    sources: ["src/gateway/routing/**/*.ts"],
    tests: [
      "src/gateway/routing/**/*.test.ts",
      "test/gateway/routing/**/*.test.ts",
      "test/gateway/experiments/experiments.test.ts",
    ],
    gate: 85,
  },
  auth: { ...own("src/gateway/auth"), gate: 85 },
} as const satisfies Record<string, Area>;

export const isArea = (name: string): name is keyof typeof AREAS => name in AREAS;

/** Paths of an area's sources or tests under the root, in order. */
export function filesOf(area: Area, kind: "sources" | "tests", root: string): string[] {
  const files = area[kind].flatMap((glob) => [...new Bun.Glob(glob).scanSync({ cwd: root })]);
  return files.filter((file) => file.endsWith(".test.ts") === (kind === "tests")).sort();
}
