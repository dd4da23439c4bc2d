import { formatNumber } from "../../../lib/format/number.ts";
import type { UpdatePlan } from "./catalog-calls.ts";

/** A difference of one field of a model, or of its price. */
export type UpdateRow = Readonly<{
  /** `price`, or the name of a fact. */
  field: string;
  /** Members that differ: of a price each amount, of a fact the fact itself. */
  members: readonly Readonly<{ name: string; before: unknown; after: unknown }>[];
  /** False: the operator has a price of their own, which stays. */
  applies: boolean;
  /** The page that the new values are from. */
  source: string | null;
}>;

export type UpdateModel = Readonly<{
  model: string;
  kind: "added" | "changed" | "removed";
  rows: readonly UpdateRow[];
}>;

/** What an update changes, by model. */
export function modelsOf({ changes, prices }: Pick<UpdatePlan, "changes" | "prices">): UpdateModel[] {
  const models = new Map<string, UpdateModel>();
  for (const { model, kind, fields, source } of changes) {
    const rows = fields.map(
      ({ field, before, after }): UpdateRow => ({
        ...{ field, applies: true, source },
        members: [{ name: field, before, after }],
      }),
    );
    models.set(model, { model, kind, rows });
  }
  for (const { model, before, after, applies, source } of prices) {
    const row: UpdateRow = { field: "price", applies, source, members: priceMembers(before, after) };
    const { kind = "changed", rows = [] } = models.get(model) ?? {};
    models.set(model, { model, kind, rows: [...rows, row] });
  }
  return [...models.values()].sort((a, b) => a.model.localeCompare(b.model));
}

type Price = UpdatePlan["prices"][number]["before"];

/** Amounts that differ; where a price was read, and how it is kept, is no amount. */
function priceMembers(before: Price, after: Price): UpdateRow["members"] {
  const [from, to] = [amountsOf(before), amountsOf(after)];
  return [...new Set([...from.keys(), ...to.keys()])]
    .filter((name) => JSON.stringify(from.get(name)) !== JSON.stringify(to.get(name)))
    .map((name) => ({ name: `price.${name}`, before: from.get(name) ?? null, after: to.get(name) ?? null }));
}

const NO_AMOUNT: ReadonlySet<string> = new Set(["source", "service_tiers_source", "hours_source", "estimated"]);

const amountsOf = (price: Price): ReadonlyMap<string, unknown> =>
  new Map(Object.entries(price ?? {}).filter(([name]) => !NO_AMOUNT.has(name)));

/** What distinguishes a row from all others. */
export const rowKey = (model: string, field: string): string => `${model}\n${field}`;

/** The rows of these models that are to be applied: those that can be, without the ones that were taken out. */
export const selectionOf = (models: readonly UpdateModel[], excluded: ReadonlySet<string>) =>
  models.flatMap(({ model, rows }) => {
    const fields = rows
      .filter(({ applies, field }) => applies && !excluded.has(rowKey(model, field)))
      .map(({ field }) => field);
    return fields.length > 0 ? [{ model, fields }] : [];
  });

/** A value as text; null: not known. */
export function factText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "number") return Number.isInteger(value) ? formatNumber(value) : String(value);
  if (typeof value === "string" || typeof value === "boolean") return String(value);
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value.join(", ");
  return JSON.stringify(value);
}
