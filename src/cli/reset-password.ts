import { createChanges } from "../../db/changes.ts";
import { openDatabase } from "../../db/connect.ts";
import { resetPassword as reset } from "../accounts/reset-password.ts";
import { readConfig } from "../config.ts";

/** Gives a user a new random password, ends the user's sessions and prints it. Returns the exit code. */
export async function resetPassword(username: string): Promise<number> {
  const database = await openDatabase(readConfig());
  const changes = await createChanges(database, (error) => {
    throw error;
  });
  try {
    const password = await reset({ db: database.db, changes }, username);
    process.stdout.write(`The new password of ${username} is ${password}\n`);
    return 0;
  } finally {
    await changes.close();
    await database.close();
  }
}
