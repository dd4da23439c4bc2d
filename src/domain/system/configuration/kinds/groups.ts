import { OperationError } from "../../../../lib/operation-error.ts";
import type { GroupEntry } from "../document.ts";
import { type Kind, mapped } from "../kind.ts";

const OPTIONS = ["GroupRatio", "UserUsableGroups", "TopupGroupRatio"] as const;

/** Groups of users: what they pay, and who may choose them. */
export const groupsKind: Kind<GroupEntry> = {
  section: "groups",
  right: "models:write",
  defaults: {},
  entriesOf: ({ groups }) => mapped(groups, (entry) => entry),
  toValue: (entry) => entry,
  secretsOf: () => [],
  async open({ settings }) {
    const [ratios, texts, topUps] = OPTIONS.map((key) => new Map(Object.entries(readTable(settings.list(), key))));
    if (!(ratios && texts && topUps)) throw new Error("the options of groups are missing");
    let isChanged = false;
    const write = async (name: string, { ratio, description, topup_ratio: topUp }: GroupEntry) => {
      isChanged = true;
      if (ratio !== undefined) ratios.set(name, ratio);
      if (!ratios.has(name)) throw new OperationError("group_ratio_required", { group: name });
      set(texts, name, description);
      set(topUps, name, topUp);
    };
    return {
      stored: [...ratios].map(([name, ratio]) => ({
        id: 0,
        name,
        entry: { ratio, description: texts.get(name) ?? null, topup_ratio: topUps.get(name) ?? null },
      })),
      create: (entry, name) => write(name, entry),
      update: (stored, changed) => write(stored.name, changed),
      async remove({ name }) {
        isChanged = true;
        for (const table of [ratios, texts, topUps]) table.delete(name);
      },
      async finish() {
        if (!isChanged) return;
        const tables = [ratios, texts, topUps];
        const saved = OPTIONS.map((key, at) => [key, JSON.stringify(Object.fromEntries(tables[at] ?? []))] as const);
        await settings.change(OPTIONS, () => new Map(saved));
      },
    };
  },
};

function set(table: Map<string, unknown>, name: string, value: unknown): void {
  if (value === null) table.delete(name);
  else if (value !== undefined) table.set(name, value);
}

function readTable(texts: readonly { key: string; value: string }[], key: string): Record<string, unknown> {
  return JSON.parse(texts.find((option) => option.key === key)?.value || "{}");
}
