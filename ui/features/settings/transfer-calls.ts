import type { OptionKey } from "../../../src/settings/registry/index.ts";
import { request } from "../../api/client.ts";
import type { SettingsFile } from "./transfer-file.ts";

type Options = SettingsFile["options"];
export type Problem = { key: string; message: string };
/** Secrets have no texts. */
export type PlannedChange = { key: OptionKey; is_secret: boolean; before: string | null; after: string | null };
export type ImportPlan = { changes: PlannedChange[]; problems: Problem[] };

export const exportSettings = async (secrets: boolean): Promise<SettingsFile> =>
  (await request<SettingsFile>("/api/option/export", { method: "POST", body: { secrets } })).data;

export const planImport = async (options: Options): Promise<ImportPlan> =>
  (await request<ImportPlan>("/api/option/import/preview", { method: "POST", body: { options } })).data;

export const importSettings = async (options: Options): Promise<{ saved: OptionKey[]; refused: Problem[] }> =>
  (
    await request<{ saved: OptionKey[]; refused: Problem[] }>("/api/option/import", {
      method: "POST",
      body: { options },
    })
  ).data;
