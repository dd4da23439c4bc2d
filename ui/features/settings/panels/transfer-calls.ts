import type { OptionKey } from "../../../../src/settings/registry/index.ts";
import { readData } from "../../../api/client.ts";
import { settingsTransferApi } from "../../../api/groups.ts";
import { isText, mapOf, readRecord } from "../../../lib/json.ts";

type Options = SettingsFile["options"];
type Problem = { key: string; message: string };
/** Null for secrets. */
export type PlannedChange = { key: OptionKey; is_secret: boolean; before: string | null; after: string | null };
export type ImportPlan = { changes: PlannedChange[]; problems: Problem[] };

export const exportSettings = (secrets: boolean) => readData(settingsTransferApi.export.post({ secrets }));

export const planImport = (options: Options): Promise<ImportPlan> =>
  readData(settingsTransferApi.import.preview.post({ options }));

export const importSettings = (options: Options) => readData(settingsTransferApi.import.post({ options }));

/** The content of an exported file. */
export type SettingsFile = Readonly<{ format: "sluice-settings"; options: Readonly<Record<string, string>> }>;

/** Parses an exported file of settings; null if it isn't one. */
export function readSettingsFile(text: string): SettingsFile | null {
  const file = readRecord(text);
  if (file?.format !== "sluice-settings") return null;
  const options = mapOf(file.options, isText);
  return options && { format: file.format, options };
}
