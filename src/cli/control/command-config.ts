import { type AsCaller, becomeOwner } from "../../lib/runtime/data-dir-owner.ts";
import { type Config, ConfigError, loadConfig } from "../../server/config.ts";

/**
 * The configuration of a command that touches the data directory, whose owner this process becomes; `asCaller` reads and writes
 * the files that the command line names. `ofLogs`: the command is for the log's own database. Throws ConfigError, DataDirError.
 */
export async function loadCommandConfig({ ofLogs = false } = {}): Promise<{ config: Config; asCaller: AsCaller }> {
  // Before it is another user: files with secrets may be root's.
  const loaded = await loadConfig();
  if (ofLogs && loaded.logDatabaseUrl === null) throw new ConfigError("--logs needs LOG_DATABASE_URL");
  const config = ofLogs ? { ...loaded, databaseUrl: loaded.logDatabaseUrl, databaseDirectUrl: null } : loaded;
  return { config, asCaller: becomeOwner(config.dataDir) };
}
