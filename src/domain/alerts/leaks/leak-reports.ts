import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { and, inArray, isNull, or } from "drizzle-orm";
import type { Changes } from "../../../../db/changes.ts";
import { keyLeaks, tokens } from "../../../../db/schema/api-keys.ts";
import type { Db } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import type { SafeFetch } from "../../../lib/outbound/safe-fetch.ts";
import type { Logger } from "../../../lib/runtime/log.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import { importedKeyHash, keyForms } from "../../api-keys/directory/key-hash.ts";
import { LOG_TYPE, writeLog } from "../../logs/write-log.ts";

type Deps = Readonly<{
  db: Db;
  changes: Changes;
  settings: SettingsReader;
  vault: Pick<Vault, "keyedHash">;
  fetch: SafeFetch;
  log: Logger;
}>;

/** A report as it is sent: the raw body, and the headers that name the scanner's key and carry its signature. */
export type LeakReport = Readonly<{ body: string; keyId: string; signature: string }>;

/** Whether a token that was found is a key of this site. */
export type Verdict = Readonly<{ token_raw: string; token_type: string; label: "true_positive" | "false_positive" }>;

/** `off`: the site takes no reports; `refused`: no valid signature or body; `unavailable`: the scanner's keys can't be read. */
export type LeakOutcome = "off" | "refused" | "unavailable" | readonly Verdict[];

type Found = Readonly<{ token: string; type: string; url: string }>;

const KEY_CACHE_MS = 3_600_000;
/** Reports with a key that is not known fetch the keys no more often than this. */
const REFETCH_MS = 60_000;
const MOST_TOKENS = 500;
const LONGEST_TOKEN = 300;
const LONGEST_URL = 500;
const [WORKS, DISABLED, EXHAUSTED] = [1, 2, 4];

/**
 * Takes reports in the format of GitHub's secret scanning partner program
 * (https://docs.github.com/en/code-security/secret-scanning/secret-scanning-partner-program), signed by ECDSA P-256 with
 * SHA-256. Each place counts once, however often it is reported.
 */
export function createLeakReports(deps: Deps): (report: LeakReport) => Promise<LeakOutcome> {
  const findKey = createKeySource(deps);
  return async ({ body, keyId, signature }) => {
    const address = deps.settings.get("LeakReportKeysUrl");
    if (address === "") return "off";
    let key: KeyObject | null;
    try {
      key = await findKey(address, keyId);
    } catch (error) {
      deps.log.warn({ error }, "the keys of the leak scanner can't be read");
      return "unavailable";
    }
    if (!key || !isSigned(body, key, signature)) return "refused";
    const found = readReport(body);
    if (!found) return "refused";
    const verdicts: Verdict[] = [];
    for (const one of found) {
      const isKey = await recordLeak(deps, one);
      const label = isKey ? "true_positive" : "false_positive";
      verdicts.push({ token_raw: one.token, token_type: one.type, label });
    }
    return verdicts;
  };
}

type Source = Readonly<{ address: string; at: number; keys: Promise<ReadonlyMap<string, KeyObject>> }>;

/**
 * Finds the scanner's public key by its identifier; null: it has none such. Anybody can send a report, so the keys are read once
 * a minute at most, also when that failed. Rejects when they can't be read.
 */
function createKeySource({ fetch }: Pick<Deps, "fetch">) {
  let last: Source | null = null;
  const readAll = async (address: string) => {
    const response = await fetch(address, { headers: { accept: "application/json" } });
    if (response.status !== 200) throw new Error(`the response has status ${response.status}`);
    return readKeys(JSON.parse(response.text()));
  };
  return async (address: string, id: string): Promise<KeyObject | null> => {
    const now = Date.now();
    const known = last?.address === address ? last : null;
    const age = known ? now - known.at : Number.POSITIVE_INFINITY;
    const key = known && age < KEY_CACHE_MS ? (await known.keys.catch(() => null))?.get(id) : undefined;
    if (key) return key;
    if (known && age < REFETCH_MS) return (await known.keys).get(id) ?? null;
    last = { address, at: now, keys: readAll(address) };
    return (await last.keys).get(id) ?? null;
  };
}

function readKeys(answer: unknown): ReadonlyMap<string, KeyObject> {
  const list = isRecord(answer) && Array.isArray(answer.public_keys) ? answer.public_keys : [];
  const keys = new Map<string, KeyObject>();
  for (const one of list) {
    if (!isRecord(one) || typeof one.key_identifier !== "string" || typeof one.key !== "string") continue;
    const key = createPublicKey(one.key);
    if (key.asymmetricKeyType === "ec") keys.set(one.key_identifier, key);
  }
  return keys;
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

function isSigned(body: string, key: KeyObject, signature: string): boolean {
  try {
    return verify("sha256", Buffer.from(body), key, Buffer.from(signature, "base64"));
  } catch {
    return false;
  }
}

/** The tokens of a report; null: it is none. */
function readReport(body: string): Found[] | null {
  let list: unknown;
  try {
    list = JSON.parse(body);
  } catch {
    return null;
  }
  if (!Array.isArray(list) || list.length > MOST_TOKENS) return null;
  const found: Found[] = [];
  for (const one of list) {
    if (!isRecord(one) || typeof one.token !== "string" || one.token.length > LONGEST_TOKEN) return null;
    const { token, type, url } = one;
    found.push({
      token,
      type: typeof type === "string" ? type : "",
      url: typeof url === "string" ? url.slice(0, LONGEST_URL) : "",
    });
  }
  return found;
}

/** Writes down that a key was found in public, and disables it where the site says so. Resolves whether it is one. */
async function recordLeak({ db, changes, settings, vault }: Deps, { token, url }: Found): Promise<boolean> {
  const hashes = keyForms(token).flatMap(({ key }) => [vault.keyedHash(key), importedKeyHash(vault, key)]);
  const changed = await db.transaction(async (tx) => {
    const [row] = await tx
      .select()
      .from(tokens)
      .where(
        and(or(inArray(tokens.keyHash, hashes), inArray(tokens.previousKeyHash, hashes)), isNull(tokens.deletedAt)),
      )
      .for("update");
    if (!row) return null;
    const isCurrent = hashes.includes(row.keyHash);
    const keyHash = isCurrent ? row.keyHash : (row.previousKeyHash ?? "");
    const isNew = await tx
      .insert(keyLeaks)
      .values({ tokenId: row.id, keyHash, url, reportedAt: nowSeconds() })
      .onConflictDoNothing()
      .returning({ id: keyLeaks.id });
    if (isNew.length === 0) return [];
    const disables = settings.get("DisableLeakedKeys") && isCurrent && [WORKS, EXHAUSTED].includes(row.status);
    if (disables)
      await tx
        .update(tokens)
        .set({ status: DISABLED })
        .where(inArray(tokens.id, [row.id]));
    // The secret before a rotation is not needed by whoever has the new one.
    if (!isCurrent)
      await tx
        .update(tokens)
        .set({ previousKeyUntil: 0 })
        .where(inArray(tokens.id, [row.id]));
    await writeLog(tx, {
      type: LOG_TYPE.system,
      userId: row.userId,
      content: `API key ${row.name} was found at ${url}${disables ? ", and was disabled" : ""}`,
      note: { code: disables ? "key_leaked_disabled" : "key_leaked", params: { name: row.name, url } },
      other: { token_id: row.id },
    });
    return [row.id];
  });
  if (changed?.length) await changes.enforce("tokens", changed);
  return changed !== null;
}
