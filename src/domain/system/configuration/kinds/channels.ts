import { asc } from "drizzle-orm";
import { channels } from "../../../../../db/schema/channels/channels.ts";
import { parseJson, recordOf } from "../../../../formats/json.ts";
import type { ChannelRow } from "../../../channels/entry.ts";
import { splitKeys } from "../../../channels/keys/keys.ts";
import type { ChannelInput } from "../../../channels/manage/channel-input.ts";
import { createChannel, deleteChannels, updateChannel } from "../../../channels/manage/write-channel.ts";
import type { ChannelEntry, JsonField } from "../document.ts";
import { type Entry, type Kind, listed } from "../kind.ts";

const DEFAULTS = {
  ...{ type: 1, status: 1, priority: 0, weight: 0, base_url: "", other: "", openai_organization: "" },
  ...{ max_input_tokens: 0, groups: ["default"], model_mapping: null, status_code_mapping: null, setting: null },
  ...{ param_override: null, header_override: null, model_prefix: "", tag: "", test_model: "", auto_ban: true },
  balance_warn_below: null,
};

/** Channels. A key that the file does not name stays. */
export const channelsKind: Kind<ChannelEntry> = {
  section: "channels",
  right: "channels:write",
  hasNamesakes: true,
  defaults: DEFAULTS,
  entriesOf: (document) => listed(document.channels?.map(withOneKeyText), ({ name }) => name),
  secretsOf: (entry) => [["key"], ...(hasPassword(entry) ? [["setting", "proxy"]] : [])],
  async open(scope) {
    const { db, vault, actor } = scope;
    const rows = await db.select().from(channels).orderBy(asc(channels.id));
    return {
      stored: rows.map((row) => ({ id: row.id, name: row.name, entry: entryOf(row, vault.decrypt(row.keyCipher)) })),
      create: (entry) => createChannel(scope, actor, inputOf({ ...DEFAULTS, ...entry })),
      update({ id }, changed, { key }) {
        // A key that the file repeats is entered again for the new address.
        const isElsewhere = REDIRECTING.some((field) => changed[field] !== undefined);
        return updateChannel(scope, actor, id, inputOf({ ...changed, ...(isElsewhere && key && { key }) }));
      },
      remove: ({ id }) => deleteChannels(scope, actor, [id]),
    };
  },
};

/** Fields that decide where requests go. */
const REDIRECTING = ["type", "base_url", "other", "setting"] as const;

/** A list of keys as the site stores it. */
function withOneKeyText(entry: ChannelEntry): ChannelEntry {
  if (entry.key === undefined) return entry;
  const text = typeof entry.key === "string" ? entry.key : entry.key.join("\n");
  // The key of a service account is JSON, whatever the type.
  return { ...entry, key: text.trimStart().startsWith("{") ? text.trim() : splitKeys(entry.type ?? 1, text).join(",") };
}

const hasPassword = ({ setting }: Entry): boolean => {
  const proxy = recordOf(setting)?.proxy;
  return typeof proxy === "string" && Boolean(URL.parse(proxy)?.password);
};

/** Switched off automatically counts as on: the trouble is not the file's affair. */
const entryOf = (row: ChannelRow, key: string): Entry => ({
  ...{ name: row.name, type: row.type, key, status: row.status === 2 ? 2 : 1 },
  ...{ priority: row.priority, weight: row.weight, base_url: row.baseUrl, other: row.other },
  ...{ openai_organization: row.openaiOrganization, max_input_tokens: row.maxInputTokens },
  ...{ models: row.models, groups: row.groups, model_prefix: row.modelPrefix, tag: row.tag },
  ...{ model_mapping: objectOf(row.modelMapping), status_code_mapping: objectOf(row.statusCodeMapping) },
  ...{ setting: objectOf(row.setting), param_override: objectOf(row.paramOverride) },
  ...{ header_override: objectOf(row.headerOverride), test_model: row.testModel, auto_ban: row.autoBan },
  balance_warn_below: row.balanceWarnBelow === null ? null : Number(row.balanceWarnBelow),
});

const objectOf = (json: string) => (json === "" ? null : recordOf(parseJson(json)));

function inputOf({ key, ...entry }: Partial<ChannelEntry>): ChannelInput {
  const { model_mapping, status_code_mapping, setting, param_override, header_override, ...rest } = entry;
  const fields = { model_mapping, status_code_mapping, setting, param_override, header_override };
  const texts: { [Field in JsonField]?: string } = {};
  for (const [field, value] of Object.entries(fields) as [JsonField, unknown][]) {
    if (value !== undefined) texts[field] = value === null ? "" : JSON.stringify(value);
  }
  return { ...rest, ...texts, ...(key !== undefined && { key: typeof key === "string" ? key : key.join("\n") }) };
}
