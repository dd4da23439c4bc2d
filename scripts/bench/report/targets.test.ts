import { expect, test } from "bun:test";
import { type Figures, judge } from "./targets.ts";

const GOOD: Figures = {
  engine: "postgres",
  jsonCostRatio: 1.75,
  burstCostRatio: 1.15,
  anthropicCostRatio: 3,
  geminiCostRatio: 2.9,
  manyStreamsMib: 400,
  grownMib: -3,
  requestsPerCore: 5000,
  aloneAddedP99Ms: 0.9,
  rateAddedP50Ms: 0.3,
  rateAddedP99Ms: 2,
  idleMib: 100,
  firstStartMs: 900,
  laterStartMs: 400,
};

const missed = (figures: Figures) =>
  judge(figures)
    .filter(({ passed }) => !passed)
    .map(({ what }) => what);

test("a run at its limits keeps every target", () => expect(missed(GOOD)).toEqual([]));

test("the embedded database has limits of its own", () => {
  const heavy = { ...GOOD, jsonCostRatio: 2.6, burstCostRatio: 1.3, idleMib: 240 };
  expect(missed({ ...heavy, engine: "embedded" })).toEqual([]);
  expect(missed(heavy)).toHaveLength(3);
});

test("a figure that could not be measured is a miss", () => {
  expect(missed({ ...GOOD, rateAddedP99Ms: Number.NaN, requestsPerCore: Number.NaN })).toHaveLength(2);
});
