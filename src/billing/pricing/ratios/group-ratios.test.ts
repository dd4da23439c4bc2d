import { expect, test } from "bun:test";
import { decimal, toText } from "../../../lib/values/decimal.ts";
import { groupPays, modelRatios } from "./group-ratios.ts";

const exact = (ratios: Record<string, number>) =>
  new Map(Object.entries(ratios).map(([name, ratio]) => [name, decimal(ratio)]));
const RATIOS = {
  // As the price table has it: the discount of `sale` is in it.
  groupRatio: exact({ default: 1, vip: 0.8, sale: 0.5 }),
  discounts: new Map([["sale", { group: "sale", percent: decimal(50), from: 0, until: 1 }]]),
  groupModelRatio: new Map([
    ["vip", modelRatios(exact({ "gpt-5*": 0.9, "gpt-5-mini": 0.7, "*": 0.6 }))],
    ["sale", modelRatios(exact({ o3: 0.4 }))],
  ]),
  groupGroupRatio: new Map([["vip", exact({ default: 0.3333, sale: 0.9, vip: 0.1 })]]),
} as unknown as Parameters<typeof groupPays>[0];

test.each<[group: string, userGroup: string | undefined, model: string, ratio: string, isOfUserGroup: boolean]>([
  ["default", undefined, "gpt-5", "1", false],
  ["default", "default", "gpt-5", "1", false],
  ["nobody", "vip", "gpt-5", "1", false],
  ["default", "vip", "gpt-5", "0.3333", true],
  // The model's ratio goes before that of the user's group: the exact name, then patterns in order.
  ["vip", "vip", "gpt-5-mini", "0.7", false],
  ["vip", "default", "gpt-5-nano", "0.9", false],
  ["vip", "vip", "o3", "0.6", false],
  // A discount of the group goes on top of each.
  ["sale", undefined, "gpt-5", "0.5", false],
  ["sale", "vip", "gpt-5", "0.45", true],
  ["sale", "vip", "o3", "0.2", false],
])("%s, of a user of %s, for %s", (group, userGroup, model, ratio, isOfUserGroup) => {
  const pays = groupPays(RATIOS, { group, userGroup }, model);
  expect([toText(pays.groupRatio), pays.isOfUserGroup === true]).toEqual([ratio, isOfUserGroup]);
});
