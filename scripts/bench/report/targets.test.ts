import { expect, test } from "bun:test";
import { type Figures, judge } from "./targets.ts";

const GOOD: Figures = {
  engine: "postgres",
  jsonCostRatio: 2.1,
  burstCostRatio: 1.3,
  anthropicCostRatio: 3,
  geminiCostRatio: 2.9,
  manyStreamsMib: 400,
  grownMib: -3,
  requestsPerCore: 5000,
  aloneAddedP99Ms: 0.9,
  rateAddedP50Ms: 0.3,
  rateAddedP99Ms: 1,
  idleMib: 60,
  firstStartMs: 700,
  laterStartMs: 300,
};

const missed = (figures: Figures) =>
  judge(figures)
    .filter(({ passed }) => !passed)
    .map(({ what }) => what);

test("a run at its limits keeps every target", () => expect(missed(GOOD)).toEqual([]));

test("the embedded database has limits of its own", () => {
  const heavy = { ...GOOD, jsonCostRatio: 2.8, burstCostRatio: 1.5, idleMib: 150 };
  expect(missed({ ...heavy, engine: "embedded" })).toEqual([]);
  expect(missed(heavy)).toHaveLength(3);
});

test("a figure that could not be measured is a miss", () => {
  expect(missed({ ...GOOD, rateAddedP99Ms: Number.NaN, requestsPerCore: Number.NaN })).toHaveLength(2);
});
