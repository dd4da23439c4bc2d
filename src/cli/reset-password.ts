import { createChanges } from "../../db/changes.ts";
import { openDatabase, requireDatabase } from "../../db/connect.ts";
import { resetPassword as reset } from "../domain/accounts/security/reset-by-email.ts";
import type { Config } from "../server/config.ts";
import { loadCommandConfig } from "./control/command-config.ts";
import { askGateway, textOf } from "./control/control-client.ts";

/**
 * Gives a user a new random password, ends the user's sessions and prints it, also while a gateway is serving. Returns the
 * exit code.
 */
export async function resetPassword(username: string): Promise<number> {
  const { config } = await loadCommandConfig();
  const password = (await askServing(config, username)) ?? (await resetDirectly(config, username));
  process.stdout.write(`The new password of ${username} is ${password}\n`);
  return 0;
}

async function askServing(config: Config, username: string): Promise<string | null> {
  if (config.databaseUrl !== null) return null;
  const reply = await askGateway(config.dataDir, "reset-password", username);
  return reply && textOf(reply);
}

async function resetDirectly(config: Config, username: string): Promise<string> {
  requireDatabase(config);
  const database = await openDatabase(config);
  const changes = await createChanges(database, (error) => {
    throw error;
  });
  try {
    return await reset({ db: database.db, changes }, username);
  } finally {
    await changes.close();
    await database.close();
  }
}
