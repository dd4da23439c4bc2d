import type { OptionKey } from "../../../src/settings/registry/index.ts";
import { readData } from "../../api/client.ts";
import { settingsTransferApi } from "../../api/groups.ts";
import type { SettingsFile } from "./transfer-file.ts";

type Options = SettingsFile["options"];
export type Problem = { key: string; message: string };
/** Secrets have no texts. */
export type PlannedChange = { key: OptionKey; is_secret: boolean; before: string | null; after: string | null };
export type ImportPlan = { changes: PlannedChange[]; problems: Problem[] };

export const exportSettings = (secrets: boolean) => readData(settingsTransferApi.export.post({ secrets }));

export const planImport = (options: Options): Promise<ImportPlan> =>
  readData(settingsTransferApi.import.preview.post({ options }));

export const importSettings = (options: Options) => readData(settingsTransferApi.import.post({ options }));
