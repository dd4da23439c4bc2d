import { options } from "../../../../db/schema/settings.ts";
import { say } from "../../../lib/messages.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { lookupTable } from "../../../lib/values/lookup-table.ts";
import { guardChange } from "../../../settings/guards.ts";
import { findOption, isOptionKey, type OptionKey } from "../../../settings/registry/index.ts";
import { loadOptions, saveOption } from "../../../settings/store.ts";
import type { Migration } from "../migration.ts";
import type { SourceRow } from "../source.ts";
import { textOf } from "../values.ts";
import { EXPRESSION_OPTIONS, importPriceExpressions } from "./import-price-expressions.ts";

const KIND = "options";
/** Names of what is called otherwise here: of one-api, of new-api, of one-hub and done-hub. */
const RENAMED = lookupTable<OptionKey>({
  OidcEnabled: "oidc.enabled",
  OidcClientId: "oidc.client_id",
  OidcClientSecret: "oidc.client_secret",
  OidcWellKnown: "oidc.well_known",
  OidcAuthorizationEndpoint: "oidc.authorization_endpoint",
  OidcTokenEndpoint: "oidc.token_endpoint",
  OidcUserinfoEndpoint: "oidc.user_info_endpoint",
  CreateCacheRatio: "CacheCreationRatio",
  "discord.enabled": "DiscordOAuthEnabled",
  "discord.client_id": "DiscordClientId",
  "discord.client_secret": "DiscordClientSecret",
  "checkin_setting.enabled": "CheckInEnabled",
  "checkin_setting.min_quota": "CheckInQuota",
  "checkin_setting.max_quota": "CheckInMaxQuota",
  OIDCAuthEnabled: "oidc.enabled",
  OIDCClientId: "oidc.client_id",
  OIDCClientSecret: "oidc.client_secret",
  LinuxDoOAuthEnabled: "LinuxDOOAuthEnabled",
  LinuxDoClientId: "LinuxDOClientId",
  LinuxDoClientSecret: "LinuxDOClientSecret",
  EnableSafe: "CheckSensitiveEnabled",
  SafeKeyWords: "SensitiveWords",
  DisableChannelKeywords: "AutomaticDisableKeywords",
});
/** Where an issuer says what its addresses are. */
const WELL_KNOWN = "/.well-known/openid-configuration";
const PRICES_BY_MODEL = ["ModelRatio", "CompletionRatio"];

/**
 * Brings settings and prices over, each checked as if it were entered here. One that was set here already stays as it is;
 * what this gateway does not know, or refuses, is reported.
 */
export async function importOptions(migration: Migration): Promise<void> {
  const { source, database, vault, report, isDry } = migration;
  const section = report.section(KIND);
  if ((await source.columns("options")).size === 0) return;
  const present = new Set((await database.db.select({ key: options.key }).from(options)).map(({ key }) => key));
  const texts = await loadOptions(database.db, vault);
  const requested = new Map<OptionKey, string>();
  const expressions = new Map<string, string>();
  for (const row of await source.all("options")) {
    section.read += 1;
    const [key, text] = rename(row);
    if (EXPRESSION_OPTIONS.has(key)) expressions.set(key, text);
    else if (!isOptionKey(key)) report.skip(KIND, `${key} is unknown here`);
    else if (present.has(key)) section.present += 1;
    else if (text === "") report.skip(KIND, "empty");
    else requested.set(key, text);
  }
  const accepted = new Map([...requested].filter(([key, text]) => isValid(report, key, text)));
  const textNow = (key: OptionKey) => accepted.get(key) ?? texts.get(key) ?? findOption(key)?.initial ?? "";
  for (const [key, text] of accepted) {
    const problem = refusal(() => guardChange(key, findOption(key)?.read(text, key).value, textNow));
    if (problem === null) continue;
    report.skip(KIND, problem);
    accepted.delete(key);
  }
  section.added += accepted.size;
  // Prices come over as they are there: the same for prompts of any length.
  if (accepted.has("ModelRatio") && !present.has("ContextTiers") && !accepted.has("ContextTiers")) {
    accepted.set("ContextTiers", "{}");
    report.remark(KIND, "prices of long prompts (ContextTiers) are left empty, as the prices that came have none");
  }
  // Hours that come with the release are those of list prices.
  if (accepted.has("ModelRatio") && !present.has("PriceHours")) accepted.set("PriceHours", "{}");
  importPriceExpressions(expressions, accepted, { present, textNow, report });
  if (isDry) return;
  await database.db.transaction(async (tx) => {
    for (const [key, text] of accepted) await saveOption(tx, vault, key, text);
  });
}

function isValid(report: Migration["report"], key: OptionKey, text: string): boolean {
  const problem = refusal(() => findOption(key)?.read(text, key));
  if (problem !== null) report.skip(KIND, problem);
  return problem === null;
}

/** Why `check` refuses, in words; null when it does not. */
function refusal(check: () => unknown): string | null {
  try {
    check();
    return null;
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    return say(error.code, "en", error.params);
  }
}

function rename(row: SourceRow): [key: string, text: string] {
  const [key, text] = [textOf(row, "key"), textOf(row, "value")];
  if (key === "ChatLink" && text !== "") return ["Chats", JSON.stringify([{ Chat: text }])];
  if (key === "OIDCIssuer" && text !== "") return ["oidc.well_known", text.replace(/\/+$/, "") + WELL_KNOWN];
  if (PRICES_BY_MODEL.includes(key)) return [key, withoutTypes(text)];
  return [RENAMED[key] ?? key, text];
}

/** one-api may price a model apart for a channel type, "model(24)": here it has one price, the general one where there is one. */
function withoutTypes(text: string): string {
  try {
    const prices: unknown = JSON.parse(text);
    if (!prices || typeof prices !== "object" || !Object.keys(prices).some((name) => SUFFIX.test(name))) return text;
    const plain = new Map<string, unknown>();
    for (const [name, price] of Object.entries(prices)) {
      const model = name.replace(SUFFIX, "");
      if (model === name || !plain.has(model)) plain.set(model, price);
    }
    return JSON.stringify(Object.fromEntries(plain), null, 2);
  } catch {
    return text;
  }
}

const SUFFIX = /\s*\(\d+\)$/;
