import type { Decimal } from "../../lib/decimal.ts";

/** Model (or group) name → exact number. */
type Ratios = ReadonlyMap<string, Decimal>;

/** The price options at one moment. */
export type PriceTable = Readonly<{
  modelRatio: Ratios;
  /** USD per call. */
  modelPrice: Ratios;
  completionRatio: Ratios;
  cacheRatio: Ratios;
  cacheCreationRatio: Ratios;
  audioRatio: Ratios;
  audioCompletionRatio: Ratios;
  groupRatio: Ratios;
  /** USD per use of a tool that the provider runs. */
  toolPrice: Ratios;
}>;

type PriceOption =
  | "ModelRatio"
  | "ModelPrice"
  | "CompletionRatio"
  | "CacheRatio"
  | "CacheCreationRatio"
  | "AudioRatio"
  | "AudioCompletionRatio"
  | "GroupRatio"
  | "ToolPrice";

/** The part of the settings that prices are made of; `version` grows with every change. */
export type PriceSettings = Readonly<{ version: number; get(option: PriceOption): Ratios }>;

/** Returns a function that gives the price table of the settings as they are now, built once per settings version. */
export function createPriceTable(settings: PriceSettings): () => PriceTable {
  let builtFor = Number.NaN;
  let table: PriceTable;
  return () => {
    if (builtFor !== settings.version) {
      builtFor = settings.version;
      table = {
        modelRatio: settings.get("ModelRatio"),
        modelPrice: settings.get("ModelPrice"),
        completionRatio: settings.get("CompletionRatio"),
        cacheRatio: settings.get("CacheRatio"),
        cacheCreationRatio: settings.get("CacheCreationRatio"),
        audioRatio: settings.get("AudioRatio"),
        audioCompletionRatio: settings.get("AudioCompletionRatio"),
        groupRatio: settings.get("GroupRatio"),
        toolPrice: settings.get("ToolPrice"),
      };
    }
    return table;
  };
}
