import { eq } from "drizzle-orm";
import { options } from "../../db/schema/settings.ts";
import type { Db } from "../../db/types.ts";
import type { Vault } from "../lib/crypto.ts";
import { SecretsError } from "../lib/secrets.ts";

/** A row of the options table that is no option: it decrypts only under the key that wrote the database's secrets. */
const ROW = "_encryption_key_check";
const EXPECTED = "sluice";

/**
 * Refuses to start on a database whose secrets were written under another key: they would be unreadable, and new ones would
 * mix with them. The first start of a database leaves the mark. Throws SecretsError.
 */
export async function checkEncryptionKey(db: Db, vault: Vault, source: string): Promise<void> {
  await db
    .insert(options)
    .values({ key: ROW, value: vault.encrypt(EXPECTED) })
    .onConflictDoNothing();
  const [row] = await db.select({ value: options.value }).from(options).where(eq(options.key, ROW));
  try {
    if (row && vault.decrypt(row.value) === EXPECTED) return;
  } catch {
    // Told below, with what to do.
  }
  throw new SecretsError(
    `${source} is not the encryption key of this database, so its secrets (channel keys, passwords of services) cannot be read. ` +
      "Start with the key it was created with: set ENCRYPTION_KEY to it (the same for every replica), or put its secret.key back into DATA_DIR.",
  );
}
