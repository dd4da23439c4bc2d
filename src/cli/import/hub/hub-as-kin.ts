import { parseJson, recordOf, recordsOf } from "../../../formats/json.ts";
import type { Report } from "../report.ts";
import type { Source, SourceRow } from "../source.ts";
import { integerIn, momentOf, objectOf, textOf } from "../values.ts";
import { channelAsKin } from "./hub-channels.ts";
import { optionsOfHub } from "./hub-options.ts";

type Convert = (row: SourceRow, report: Report) => SourceRow | null;

/** How a row of each table reads at new-api; the others read alike. */
const CONVERSIONS: Readonly<Record<string, Convert>> = {
  users: (row) => ({
    ...row,
    github_id: textOrNone(row, "github_id_new"),
    telegram_id: textOrNone(row, "telegram_id"),
    linux_do_id: textOrNone(row, "linuxdo_id"),
  }),
  tokens: tokenAsKin,
  channels(row, report) {
    if (momentOf(row, "deleted_at") === null) return channelAsKin(row, report);
    report.skip("channels", "deleted at the source");
    return null;
  },
  logs: (row) => ({
    ...row,
    elapsed_time: row.request_time,
    ip: textOf(row, "source_ip"),
    other: textOf(row, "metadata"),
  }),
};

/** A number that stands for an account elsewhere; 0 is none. */
const textOrNone = (row: SourceRow, column: string): string => (integerIn(row, column) > 0 ? textOf(row, column) : "");

/** one-hub keeps limits of a key in JSON, and a second group next to the first. */
function tokenAsKin(row: SourceRow): SourceRow {
  const limits = recordOf(objectOf(row, "setting").limits) ?? {};
  const models = recordOf(limits.limit_model_setting) ?? {};
  const addresses = recordOf(limits.limits_ip_setting) ?? {};
  const listOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);
  return {
    ...row,
    model_limits_enabled: models.enabled === true,
    model_limits: listOf(models.models).join(","),
    allow_ips: addresses.enabled === true ? listOf(addresses.whitelist).join("\n") : "",
  };
}

/** The links to chat pages of one-hub, as those of new-api; other options as they are. */
function chatsOf(row: SourceRow): SourceRow {
  if (textOf(row, "key") !== "ChatLinks") return row;
  const links = recordsOf(parseJson(textOf(row, "value"))).filter(({ show }) => show !== false);
  const chats = links.map(({ name, url }) => ({ [String(name)]: String(url).replaceAll("{server}", "{address}") }));
  return { key: "Chats", value: chats.length === 0 ? "" : JSON.stringify(chats) };
}

/** A database of one-hub or done-hub as if it were one of new-api. */
export function hubAsKin(from: Source, report: Report): Source {
  return {
    ...from,
    async *slices(table) {
      const convert = CONVERSIONS[table];
      for await (const rows of from.slices(table)) {
        yield convert ? rows.map((row) => convert(row, report)).filter((row) => row !== null) : rows;
      }
    },
    async all(table) {
      const rows = await from.all(table);
      return table === "options" ? [...rows.map(chatsOf), ...(await optionsOfHub(from, report))] : rows;
    },
  };
}
