/** Source files to mutate, and the test files that may notice, as globs. */
type Area = Readonly<{ sources: readonly string[]; tests: readonly string[] }>;

/** Where a mistake costs money or sends a call to the wrong place. */
export const AREAS = {
  pricing: {
    sources: ["src/billing/pricing/**/*.ts"],
    tests: [
      "src/billing/pricing/**/*.ts",
      "src/gateway/money/**/*.ts",
      "src/domain/channels/prices/*.ts",
      "src/console/models/pricing.test.ts",
      "test/gateway/endpoints/amounts.test.ts",
    ],
  },
  billing: {
    sources: ["src/billing/*.ts", "src/billing/{ledger,journal,check-ledger}/**/*.ts", "src/gateway/money/**/*.ts"],
    tests: [
      "src/billing/*.ts",
      "src/billing/{journal,check-ledger}/**/*.ts",
      "src/gateway/money/**/*.ts",
      "test/billing/{kept-holds,outage,outage-shares}.test.ts",
      "test/gateway/chat/chat.test.ts",
      "test/gateway/endpoints/amounts.test.ts",
    ],
  },
  routing: {
    sources: ["src/gateway/routing/**/*.ts"],
    tests: ["src/gateway/routing/**/*.ts", "test/gateway/routing/*.ts"],
  },
} as const satisfies Record<string, Area>;

export const isArea = (name: string): name is keyof typeof AREAS => name in AREAS;
