import { recordOf } from "../../../formats/json.ts";
import { decimal, divide, multiply, toText } from "../../../lib/values/decimal.ts";
import type { Report } from "../report.ts";
import type { Source, SourceRow } from "../source.ts";
import { flagOf, integerIn, objectOf, textOf } from "../values.ts";

/** A ratio of 1 is 0.002 dollars: for a thousand tokens, or for a call. */
const RATIO_USD = "0.002";
const RATIO_PLACES = 12;

/** Ratios of one-hub to the price of input (or, for the last, output) tokens → the option that keeps them here. */
const EXTRA_RATIOS: Readonly<Record<string, string>> = {
  cached_tokens: "CacheRatio",
  cached_read_tokens: "CacheRatio",
  cached_write_tokens: "CacheCreationRatio",
  openai_cache_write_tokens: "CacheCreationRatio",
  input_audio_tokens: "AudioRatio",
};

/** The groups and prices of one-hub, which have tables there, as rows of options. */
export async function optionsOfHub(source: Source, report: Report): Promise<SourceRow[]> {
  const options = new Map<string, Map<string, unknown>>();
  const set = (option: string, name: string, value: unknown) => {
    const values = options.get(option) ?? new Map<string, unknown>();
    options.set(option, values);
    if (!values.has(name)) values.set(name, value);
  };
  for (const row of await rowsOf(source, "user_groups")) {
    set("GroupRatio", textOf(row, "symbol"), Number(textOf(row, "ratio") || 1));
    if (flagOf(row, "public") && flagOf(row, "enable", true))
      set("UserUsableGroups", textOf(row, "symbol"), textOf(row, "name"));
  }
  // The general price of a model comes before those for one type of channel.
  const prices = (await rowsOf(source, "prices")).toSorted(
    (a, b) => integerIn(a, "channel_type") - integerIn(b, "channel_type"),
  );
  const seen = new Set<string>();
  for (const row of prices) {
    const model = textOf(row, "model");
    if (seen.has(model)) report.remark("options", `${model}: its price for one type of channel does not come over`);
    else priceModel(row, model, set, report);
    seen.add(model);
  }
  return [...options].map(([key, values]) => ({ key, value: JSON.stringify(Object.fromEntries(values)) }));
}

type SetOption = (option: string, name: string, value: unknown) => void;

function priceModel(row: SourceRow, model: string, set: SetOption, report: Report): void {
  const input = decimal(textOf(row, "input") || "0");
  const output = decimal(textOf(row, "output") || "0");
  if (textOf(row, "type") === "times") {
    set("ModelPrice", model, Number(toText(multiply(input, decimal(RATIO_USD)))));
    return;
  }
  const inputRatio = Number(toText(input));
  set("ModelRatio", model, inputRatio);
  if (inputRatio > 0) set("CompletionRatio", model, Number(toText(divide(output, input, RATIO_PLACES))));
  else if (Number(toText(output)) > 0)
    report.remark("options", `${model}: output is not free where input is; set its price by hand`);
  for (const [name, ratio] of Object.entries(objectOf(row, "extra_ratios"))) {
    const option = EXTRA_RATIOS[name];
    if (option && typeof ratio === "number") set(option, model, ratio);
    else if (ratio !== 1) report.remark("options", `${model}: the ratio of ${name} has no counterpart`);
  }
  const tier = recordOf(objectOf(row, "long_context")) ?? {};
  const { threshold, input_ratio: more, output_ratio: moreOutput } = tier;
  if (typeof threshold === "number" && threshold > 0) {
    set("ContextTiers", model, [{ above: threshold, input: more ?? 1, output: moreOutput ?? 1 }]);
  }
}

const rowsOf = async (source: Source, table: string): Promise<SourceRow[]> =>
  (await source.columns(table)).size === 0 ? [] : source.all(table);
