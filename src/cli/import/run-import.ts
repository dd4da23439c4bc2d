import type { Database } from "../../../db/types.ts";
import type { Vault } from "../../lib/security/crypto.ts";
import { carryOver } from "./carry-over-usage.ts";
import { detectFamily, type Family } from "./detect-family.ts";
import type { Migration } from "./migration.ts";
import { createReport, type Report } from "./report.ts";
import { openSource } from "./source.ts";
import { importTokens } from "./tables/import-api-keys.ts";
import { importChannels } from "./tables/import-channels.ts";
import { importCodes } from "./tables/import-codes.ts";
import { importLogs } from "./tables/import-logs.ts";
import { importOptions } from "./tables/import-options.ts";
import { importUsers } from "./tables/import-users.ts";

type Target = Readonly<{ database: Database; vault: Vault }>;
type Choices = Readonly<{ isDry: boolean; withLogs: boolean }>;

/**
 * Brings what is at `from` (a SQLite file, or a mysql:// or postgres:// address of one-api, new-api or Veloera) into the
 * database, which no gateway may be using; the log only `withLogs`. What came over before is left as it is. Throws SourceError.
 */
export async function runImport(
  { database, vault }: Target,
  from: string,
  { isDry, withLogs }: Choices,
): Promise<{ family: Family; report: Report }> {
  const source = await openSource(from);
  try {
    const family = await detectFamily(source);
    const report = createReport();
    const migration: Migration = { source, family, database, vault, isDry, report };
    const users = await importUsers(migration);
    const tokens = await importTokens(migration, users);
    const channels = await importChannels(migration);
    await importCodes(migration, users);
    await importOptions(migration);
    if (withLogs) await importLogs(migration, { users, tokens, channels });
    await carryOver(migration, { users, tokens, channels });
    return { family, report };
  } finally {
    await source.close();
  }
}
