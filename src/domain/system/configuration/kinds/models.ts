import { checkModelName, readOwnEntry } from "../../../../catalog/entry.ts";
import { type JsonObject, recordOf, textOf } from "../../../../formats/json.ts";
import { FieldError } from "../../../../lib/field-readers.ts";
import { guardrailKeyFor } from "../../../../settings/option/guardrails.ts";
import { createGuardrail, deleteGuardrail, updateGuardrail } from "../../../models/guardrails/save-guardrail.ts";
import {
  hasPrice,
  isSamePrice,
  openPriceBook,
  PRICE_OPTIONS,
  type PriceBook,
  priceView,
  shippedRatios,
  statedRatios,
} from "../../../models/pricing.ts";
import { createRoute, deleteRoute, updateRoute } from "../../../models/routes/save-route.ts";
import { type Kind, mapped } from "../kind.ts";

type Ratios = ReturnType<PriceBook["ratiosOf"]>;

/** `price`: in dollars, or `{ratios}` as the options have it; null: the model has none. */
type PriceEntry = { price: JsonObject | null };

/** What models cost. An entry is the price as it is from then on. */
export const pricesKind: Kind<PriceEntry> = {
  section: "prices",
  right: "models:write",
  defaults: {},
  entriesOf: ({ prices }) => mapped(prices, (price) => ({ price })),
  toValue: ({ price }) => price,
  secretsOf: () => [],
  async open({ settings }) {
    const texts = new Map<string, string>(settings.list().map(({ key, value }) => [key, value]));
    const book = openPriceBook((option) => texts.get(option) ?? "{}");
    let isChanged = false;
    const write = async (name: string, { price = null }: Partial<PriceEntry>) => {
      checkModelName(name, "model");
      isChanged = true;
      book.set(name, price === null ? null : readPrice(price));
    };
    return {
      stored: book.models().map((name) => {
        const ratios = book.ratiosOf(name);
        const isInitial = isSamePrice(ratios, shippedRatios(name));
        return { id: 0, name, entry: { price: writePrice(name, ratios) }, isInitial };
      }),
      create: (entry, name) => write(name, entry),
      update: (stored, changed) => write(stored.name, changed),
      async remove({ name }) {
        isChanged = true;
        book.set(name, shippedRatios(name));
      },
      async finish() {
        if (isChanged) await settings.change(PRICE_OPTIONS, () => book.texts());
      },
    };
  },
};

function readPrice(price: JsonObject): Ratios {
  const ratios = recordOf(price.ratios);
  if (!ratios) {
    const { price: stated } = readOwnEntry({ price }, "");
    if (!stated) throw new FieldError("price", "a price");
    return statedRatios(stated);
  }
  const unknown = Object.keys(ratios).find((name) => !PRICE_OPTIONS.some((option) => option === name));
  if (unknown !== undefined) throw new FieldError(`ratios.${unknown}`, `one of ${PRICE_OPTIONS.join(", ")}`);
  // The options check what they keep when they are saved.
  return ratios as Ratios;
}

/** In dollars where that is exact. */
function writePrice(model: string, ratios: Ratios): JsonObject | null {
  if (!hasPrice(ratios) && Object.keys(ratios).length === 0) return null;
  const view = priceView(model, ratios);
  if (view && isSamePrice(statedRatios(view), ratios)) return { ...view };
  return { ratios };
}

/** `route`: its definition. */
type RouteEntry = { route: JsonObject };

/** Model names of one's own and what is behind them. An entry is the route as it is from then on. */
export const routesKind: Kind<RouteEntry> = {
  section: "routes",
  right: "models:write",
  defaults: {},
  entriesOf: ({ routes }) => mapped(routes, (route) => ({ route })),
  toValue: ({ route }) => route,
  secretsOf: () => [],
  async open({ settings }) {
    return {
      stored: [...settings.get("ModelRoutes").values()].map(({ name, definition }) => ({
        ...{ id: 0, name },
        entry: { route: { ...definition } },
      })),
      create: ({ route }, name) => createRoute({ settings }, name, route),
      update: ({ name }, _, { route }) => updateRoute({ settings }, name, name, route),
      remove: ({ name }) => deleteRoute({ settings }, name),
    };
  },
};

/** `value`: its definition, and the `key` of its service. */
type GuardrailEntry = { value: JsonObject };

/** What may go to models and come from them, in the order in which it is checked. An entry is the guardrail as it is from then on. */
export const guardrailsKind: Kind<GuardrailEntry> = {
  section: "guardrails",
  right: "models:write",
  defaults: {},
  entriesOf: ({ guardrails }) => mapped(guardrails, (value) => ({ value })),
  toValue: ({ value }) => value,
  secretsOf: ({ value }) => (typeof value === "object" && value !== null && "key" in value ? [["value", "key"]] : []),
  async open({ settings }) {
    return {
      stored: settings.get("Guardrails").map(({ name, definition }) => {
        const key = guardrailKeyFor(settings.get("GuardrailKeys"), name, definition.url ?? "");
        return { id: 0, name, entry: { value: { ...definition, ...(key !== "" && { key }) } } };
      }),
      create: ({ value }, name) => createGuardrail({ settings }, inputOf(name, value)),
      update: ({ name }, _, { value }) => updateGuardrail({ settings }, name, inputOf(name, value)),
      remove: ({ name }) => deleteGuardrail({ settings }, name),
    };
  },
};

function inputOf(name: string, { key, ...guardrail }: JsonObject) {
  return { name, guardrail, key: textOf(key) };
}
