import { type Decimal, ONE } from "../../../lib/values/decimal.ts";
import { isNamePattern, type NamePattern, namePattern } from "../../../lib/values/patterns/name-patterns.ts";
import { discounted, type GroupDiscount } from "../price-rules.ts";

/** Ratios by name, some of which are patterns for models; exact names go first, then patterns in the order written. */
export type ModelRatios = Readonly<{
  byName: ReadonlyMap<string, Decimal>;
  patterns: readonly Readonly<{ pattern: NamePattern; ratio: Decimal }>[];
}>;

/** Reads ratios by model. */
export const modelRatios = (byName: ReadonlyMap<string, Decimal>): ModelRatios => ({
  byName,
  patterns: [...byName].flatMap(([name, ratio]) =>
    isNamePattern(name) ? [{ pattern: namePattern(name), ratio }] : [],
  ),
});

/** What groups pay. */
export type GroupRatios = Readonly<{
  groupRatio: ReadonlyMap<string, Decimal>;
  discounts: ReadonlyMap<string, GroupDiscount>;
  /** Group → ratios of single models. */
  groupModelRatio: ReadonlyMap<string, ModelRatios>;
  /** A user's group → the group that a call is charged in → ratio. */
  groupGroupRatio: ReadonlyMap<string, ReadonlyMap<string, Decimal>>;
}>;

/** Who pays: the group that a call is charged in, and that of the user. */
export type GroupPayer = Readonly<{ group: string; userGroup?: string | undefined }>;

/** What a group pays for a model: discounts are in it. */
export type GroupPays = Readonly<{
  groupRatio: Decimal;
  discount: GroupDiscount | undefined;
  /** It is that of the user's group in this group. */
  isOfUserGroup?: true;
}>;

/**
 * The ratio of a call: the group's for this model, else that of the user's group in the group, else the group's own; an unknown
 * group has 1. A discount of the group goes on top of each.
 */
export function groupPays(
  { groupRatio, discounts, groupModelRatio, groupGroupRatio }: GroupRatios,
  { group, userGroup }: GroupPayer,
  model: string,
): GroupPays {
  const discount = discounts.get(group);
  const reduced = (ratio: Decimal) => (discount ? discounted(ratio, discount) : ratio);
  const ratios = groupModelRatio.get(group);
  const ofModel = ratios && ratioOfModel(ratios, model);
  if (ofModel) return { groupRatio: reduced(ofModel), discount };
  const ofUser = groupGroupRatio.get(userGroup ?? "")?.get(group);
  if (ofUser) return { groupRatio: reduced(ofUser), discount, isOfUserGroup: true };
  return { groupRatio: groupRatio.get(group) ?? ONE, discount };
}

function ratioOfModel(ratios: ModelRatios, model: string): Decimal | undefined {
  return ratios.byName.get(model) ?? ratios.patterns.find(({ pattern }) => pattern.test(model))?.ratio;
}
