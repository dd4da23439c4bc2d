import { eq } from "drizzle-orm";
import { options } from "../../db/schema/settings.ts";
import type { Db } from "../../db/types.ts";
import type { Vault } from "../lib/security/crypto.ts";
import { SecretsError } from "../lib/security/secrets.ts";

/** A row of the options table that is no option: it decrypts only under the key that wrote the database's secrets. */
export const KEY_CHECK_ROW = "_encryption_key_check";
const EXPECTED = "sluice";

/**
 * Refuses to start on a database whose secrets were written under another key: they would be unreadable, and new ones would
 * mix with them. The first start of a database leaves the mark. Throws SecretsError.
 */
export async function checkEncryptionKey(db: Db, vault: Vault, source: string): Promise<void> {
  await db
    .insert(options)
    .values({ key: KEY_CHECK_ROW, value: vault.encrypt(EXPECTED) })
    .onConflictDoNothing();
  const [row] = await db.select({ value: options.value }).from(options).where(eq(options.key, KEY_CHECK_ROW));
  if (row && isKeyOf(row.value, vault)) return;
  throw new SecretsError(
    `${source} is not the encryption key of this database, so its secrets (channel keys, passwords of services) cannot be read. ` +
      "Start with the key it was created with: set ENCRYPTION_KEY to it (the same for every replica), or put its secret.key back into DATA_DIR.",
  );
}

/**
 * Looks at an option of a backup: throws SecretsError where it shows that the backup was made under another key. `vault` null:
 * there is no key yet.
 */
export function checkBackupKey(option: Readonly<{ key: string; value: string }>, vault: Vault | null): void {
  if (option.key !== KEY_CHECK_ROW || (vault && isKeyOf(option.value, vault))) return;
  const found = vault
    ? "the encryption key here is another one than the backup was made with"
    : "there is no encryption key here";
  throw new SecretsError(
    `${found}, so its secrets could not be read. Nothing was changed. Set ENCRYPTION_KEY to the key of the installation that ` +
      "made the backup, or put its secret.key into DATA_DIR, then restore again",
  );
}

function isKeyOf(mark: string, vault: Vault): boolean {
  try {
    return vault.decrypt(mark) === EXPECTED;
  } catch {
    return false;
  }
}
