import type { Db } from "../../../../db/types.ts";
import { describeOptionChanges, optionTexts } from "../../../settings/record-option-changes.ts";
import type { Settings } from "../../../settings/settings.ts";
import { writeManagementLog } from "../../logs/write-log.ts";

type Deps = Readonly<{ db: Db; settings: Settings }>;

/** Changes the catalog and writes into the actor's log what was changed. `work` resolves with the options that changed. */
export async function recordCatalogChange(
  { db, settings }: Deps,
  actor: Readonly<{ id: number }>,
  work: () => Promise<readonly string[]>,
): Promise<void> {
  const before = optionTexts(settings);
  const changed = await work();
  if (changed.length === 0) return;
  const keys = changed.join(", ");
  // An update of all models is too long for a log row.
  const reported = changed.filter((key) => key !== "ModelCatalogUpdate");
  await writeManagementLog(db, actor, `Changed the model catalog (${keys})`, {
    note: { code: "catalog_changed", params: { keys } },
    action: "update",
    ...describeOptionChanges(reported, before, optionTexts(settings)),
  });
}
