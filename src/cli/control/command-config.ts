import { type AsCaller, becomeOwner } from "../../lib/runtime/data-dir-owner.ts";
import { type Config, loadConfig } from "../../server/config.ts";

/**
 * The configuration of a command that touches the data directory, whose owner this process becomes; `asCaller` reads and writes
 * the files that the command line names. Throws ConfigError, DataDirError.
 */
export async function loadCommandConfig(): Promise<{ config: Config; asCaller: AsCaller }> {
  // Before it is another user: files with secrets may be root's.
  const config = await loadConfig();
  return { config, asCaller: becomeOwner(config.dataDir) };
}
