import type { Equivalent } from "./match-equivalents.ts";

/**
 * Changes that make no difference, so that no test can notice them. They don't count. One that a test notices after all, or
 * that no longer exists, fails the run.
 */
export const EQUIVALENTS: readonly Equivalent[] = [
  {
    file: "charge.ts",
    reason: "Prices of a call have no steps by length and no variant is undefined, so the kind decides nothing.",
    changes: [
      [
        'const tiers = price.kind === "per_token" ? price.contextTiers : undefined;',
        "const tiers = true ? price.contextTiers : undefined;",
      ],
    ],
  },
  {
    file: "charge.ts",
    reason: "The place after the last holds nothing and is skipped.",
    changes: [
      ["for (let at = 0; at < quantities.length; at += 1) {", "for (let at = 0; at <= quantities.length; at += 1) {"],
    ],
  },
  {
    file: "charge.ts",
    reason: "A cache that is not filled costs time, not money.",
    changes: [
      ["units.set(unit, made);", ";"],
      ["if (known) known.set(key, value);", "if (known) ;"],
      ["if (known) known.set(key, value);", "if (false) known.set(key, value);"],
      ["else byPrice.set(price, new Map([[key, value]]));", "else ;"],
      [
        // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a line
        "const name = tiers.length === 0 ? writes : `${writes} ${tiers.length}`;",
        // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a line
        "const name = false ? writes : `${writes} ${tiers.length}`;",
      ],
    ],
  },
  {
    file: "preview-charge.ts",
    reason: "Who accepts models without a price always gets one.",
    changes: [["if (!standard) return null;", "if (false) return null;"]],
  },
  {
    file: "preview-charge.ts",
    reason: "The preview states the output, so none is expected.",
    changes: [["defaultOutputTokens: 0,", "defaultOutputTokens: (0 + 1),"]],
  },
  {
    file: "price-hours.ts",
    reason: "Midnight of every zone is at a whole quarter of an hour, at which hours are looked at again anyway.",
    changes: [
      [
        "const minutes = [0, from, until].map((at) => (at - minute + MINUTES_OF_DAY - 1) % MINUTES_OF_DAY) as number[];",
        "const minutes = [(0 + 1), from, until].map((at) => (at - minute + MINUTES_OF_DAY - 1) % MINUTES_OF_DAY) as number[];",
      ],
    ],
  },
  {
    file: "price-hours.ts",
    reason: "A cache that is not filled costs time, not money.",
    changes: [["formats.set(zone, format);", ";"]],
  },
  {
    file: "default-ratios.ts",
    reason: "Every estimated price is one of the prices.",
    changes: [
      [
        "estimated ? [[model, DEFAULT_MODEL_PRICE[model] ?? 0] as const] : [],",
        "estimated ? [[model, DEFAULT_MODEL_PRICE[model] ?? (0 + 1)] as const] : [],",
      ],
    ],
  },
  {
    file: "account.ts",
    reason: "What stands there before the first reading, outage or refusal is written before it is read.",
    changes: [
      ["#held = 0;", "#held = (0 + 1);"],
      ["usedAt = 0;", "usedAt = (0 + 1);"],
      ["#ceiling = 0;", "#ceiling = (0 + 1);"],
      ["#scarceUntil = 0;", "#scarceUntil = (0 + 1);"],
    ],
  },
  {
    file: "account.ts",
    reason: "A call that costs nothing was covered in the branch before.",
    changes: [
      ["else if (amount > 0 && amount <= this.available) {", "else if (amount >= 0 && amount <= this.available) {"],
    ],
  },
  {
    file: "account.ts",
    reason: "What is free is nothing then, and that is returned two lines below as well.",
    changes: [["if (this.sole || this.#free <= 0) return 0;", "if (this.sole || this.#free < 0) return 0;"]],
  },
  {
    file: "availability.ts",
    reason: "Every statement resets it when it starts.",
    changes: [["#hasFailed = false;", "#hasFailed = true;"]],
  },
  {
    file: "authenticate.ts",
    reason: "An address without it has no key either; looking for the text costs less than parsing the address.",
    changes: [['if (!address.includes("key=")) return null;', "if (false) return null;"]],
  },
  {
    file: "user-limits.ts",
    reason: "A set that is left without calls costs memory, and counts as many as none.",
    changes: [
      ["if (calls?.size === 0) running.delete(id);", "if (false) running.delete(id);"],
      ["if (calls?.size === 0) running.delete(id);", "if (calls?.size === 0) ;"],
    ],
  },
  {
    file: "price.ts",
    reason: "A cache that is not filled, or filled again with the same, costs time, not money.",
    changes: [
      ["overridesByCandidates.set(candidates, overrides);", ";"],
      [
        "if (value !== unit.value) unit = { value, decimal: integer(value) };",
        "if (true) unit = { value, decimal: integer(value) };",
      ],
    ],
  },
  {
    file: "price.ts",
    reason: "A request that asks for no tier has no names of tiers.",
    changes: [
      [
        "asksForTier(body.json) ? tierNames(requestedIn(body.json)) : NO_TIERS;",
        "true ? tierNames(requestedIn(body.json)) : NO_TIERS;",
      ],
    ],
  },
  {
    file: "price.ts",
    reason: "Only prices by tokens state such parts.",
    changes: [
      [
        'const own = price.kind === "per_token" ? ownRatios(table(), price) : {};',
        "const own = true ? ownRatios(table(), price) : {};",
      ],
    ],
  },
  {
    file: "reserve.ts",
    reason: "The reason inside such a message is a sentence of its own, never text.",
    changes: [['if (typeof bare !== "object") return refusal;', "if (false) return refusal;"]],
  },
];
