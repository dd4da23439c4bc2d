import type { Database } from "../../../db/types.ts";
import type { Vault } from "../../lib/crypto.ts";
import { carryOver } from "./carry-over.ts";
import { detectFamily, type Family } from "./family.ts";
import { importChannels } from "./import-channels.ts";
import { importCodes } from "./import-codes.ts";
import { importLogs } from "./import-logs.ts";
import { importOptions } from "./import-options.ts";
import { importTokens } from "./import-tokens.ts";
import { importUsers } from "./import-users.ts";
import type { Migration } from "./migration.ts";
import { createReport, type Report } from "./report.ts";
import { openSource } from "./source.ts";

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
