import type { OptionKey } from "../../../../src/settings/registry/index.ts";
import { readData } from "../../../api/client.ts";
import { settingsTransferApi } from "../../../api/groups.ts";

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
  try {
    const value: unknown = JSON.parse(text);
    if (!value || typeof value !== "object" || !("format" in value) || value.format !== "sluice-settings") return null;
    if (!("options" in value) || !value.options || typeof value.options !== "object") return null;
    const isText = Object.values(value.options).every((option) => typeof option === "string");
    return isText ? (value as SettingsFile) : null;
  } catch {
    return null;
  }
}
