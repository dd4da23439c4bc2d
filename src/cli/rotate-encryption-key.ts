import { copyFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { quoted } from "../../db/backup/format.ts";
import { refuseInUse } from "../../db/backup/restore-backup.ts";
import { openDatabase, requireDatabase } from "../../db/connect.ts";
import { DEADLINES_MS, liftTimeouts, withDeadline } from "../../db/server/deadlines.ts";
import type { Database, Statements } from "../../db/types.ts";
import { SECRET_SETTINGS } from "../domain/notifications/notification-setting.ts";
import { nowSeconds } from "../lib/clock.ts";
import { createVault, rotateKey, type Vault } from "../lib/security/crypto.ts";
import { KEY_FILE, loadExistingSecrets, readKeyFile, SecretsError, writeKeyFile } from "../lib/security/secrets.ts";
import { checkEncryptionKey, KEY_CHECK_ROW } from "../settings/key-check.ts";
import { findOption } from "../settings/registry/index.ts";
import { loadCommandConfig } from "./control/command-config.ts";

const ROWS_A_STATEMENT = 1000;

/**
 * Encrypts every stored secret under a new key, all in one transaction, while no gateway uses the database. The new key is
 * on the disk before anything is changed, so a crash at any moment leaves a database whose key is known: running the command
 * again completes it. Returns the exit code. Throws BackupError, DatabaseError, SecretsError; then nothing is changed.
 */
export async function rotateEncryptionKey(): Promise<number> {
  const { config } = await loadCommandConfig();
  const secrets = await loadExistingSecrets(config);
  if (!secrets) throw new SecretsError("there is no encryption key yet: start the gateway once");
  const keyFile = join(config.dataDir, KEY_FILE);
  const newKeyFile = `${keyFile}.new`;
  requireDatabase(config);
  const database = await openDatabase(config);
  try {
    const left = await readKeyFile(newKeyFile);
    // A file of an earlier run whose key is in use by now was only not deleted.
    const isInterrupted = left !== null && left !== secrets.encryptionKey && (await isKeyOfDatabase(database, left));
    if (!isInterrupted) {
      const vault = createVault(secrets);
      await checkEncryptionKey(database.db, vault, secrets.source);
      const newKey = rotateKey(secrets.encryptionKey);
      await rm(newKeyFile, { force: true });
      await writeKeyFile(newKeyFile, newKey);
      // The file stays when this fails: a connection that is lost while it commits leaves open which key is the database's.
      const count = await reencrypt(database, vault, createVault({ encryptionKey: newKey }));
      process.stdout.write(`${count} secrets are encrypted under a new key\n`);
    }
  } finally {
    await database.close();
  }
  if (config.encryptionKey === null) {
    const oldKeyFile = `${keyFile}.old-${nowSeconds()}`;
    await copyFile(keyFile, oldKeyFile);
    await rename(newKeyFile, keyFile);
    process.stdout.write(`The new key is in ${keyFile}: copy it to where you keep the key, apart from the backups\n`);
    process.stdout.write(`The old key is in ${oldKeyFile}\n`);
  } else {
    process.stdout.write(
      `The new key is in ${newKeyFile}: set ENCRYPTION_KEY to it for every replica, keep a copy, then delete the file\n`,
    );
  }
  process.stdout.write("Keep the old key as long as backups that were made under it.\n");
  if (config.sessionSecret === null)
    process.stdout.write("Sessions were signed with the old key: everybody signs in again.\n");
  return 0;
}

/** Whether an earlier run committed under this key and ended before it could say so. */
const isKeyOfDatabase = ({ db }: Database, encryptionKey: string): Promise<boolean> =>
  checkEncryptionKey(db, createVault({ encryptionKey }), "").then(
    () => true,
    (error) => {
      if (error instanceof SecretsError) return false;
      throw error;
    },
  );

/** Columns that hold nothing but one encrypted text. */
const COLUMNS = [
  { table: "tokens", key: "id", column: "key_cipher" },
  { table: "channels", key: "id", column: "key_cipher" },
  { table: "totp_secrets", key: "user_id", column: "secret_cipher" },
  { table: "alert_destinations", key: "id", column: "config_cipher" },
  { table: "usage_sinks", key: "id", column: "config_cipher" },
  { table: "mcp_servers", key: "id", column: "secret_cipher" },
  { table: "mcp_clients", key: "server_id", column: "client_cipher" },
  { table: "mcp_sign_ins", key: "id", column: "grant_cipher" },
  { table: "mcp_revocations", key: "id", column: "grant_cipher" },
  { table: "mcp_revocations", key: "id", column: "secret_cipher" },
  { table: "provider_keys", key: "id", column: "key_cipher" },
  { table: "identity_providers", key: "id", column: "secret_cipher" },
] as const;

/** Resolves with the number of secrets. Throws BackupError while a gateway uses the database, DecryptionError for a damaged one. */
function reencrypt({ sql, kind }: Database, from: Vault, to: Vault): Promise<number> {
  const renew = (cipher: string) => to.encrypt(from.decrypt(cipher));
  return withDeadline(DEADLINES_MS.long, () =>
    sql.begin(async (tx) => {
      if (kind === "server") await liftTimeouts(tx);
      // A gateway that starts meanwhile waits here, when it checks its key.
      await tx`lock table options in share row exclusive mode`;
      if (kind === "server") await refuseInUse(tx);
      let count = (await renewOptions(tx, renew)) + (await renewUsers(tx, renew));
      for (const column of COLUMNS) count += await renewColumn(tx, column, renew);
      count += await renewResponses(tx, renew);
      return count;
    }),
  );
}

type Renew = (cipher: string) => string;

async function renewColumn(
  tx: Statements,
  { table, key, column }: (typeof COLUMNS)[number],
  renew: Renew,
): Promise<number> {
  const [name, id, cipher] = [table, key, column].map(quoted);
  let count = 0;
  for (let after = 0; ; ) {
    const rows = await tx.unsafe<{ id: number; cipher: string }[]>(
      `select ${id} as id, ${cipher} as cipher from ${name} where ${id} > $1 and ${cipher} <> '' order by ${id} limit ${ROWS_A_STATEMENT}`,
      [after],
    );
    const last = rows.at(-1);
    if (!last) return count;
    await tx.unsafe(
      `update ${name} set ${cipher} = renewed.cipher
        from (select unnest($1::int[]) as id, unnest($2::text[]) as cipher) as renewed where ${name}.${id} = renewed.id`,
      [rows.map((row) => row.id), rows.map((row) => renew(row.cipher))],
    );
    count += rows.length;
    after = last.id;
  }
}

/** Stored conversations in which something is masked. */
async function renewResponses(tx: Statements, renew: Renew): Promise<number> {
  let count = 0;
  for (let after = ""; ; ) {
    const rows = await tx<{ id: string; body: string }[]>`
      select id, body from stored_responses where id > ${after} and body like 'v1.%' order by id limit ${ROWS_A_STATEMENT}`;
    const last = rows.at(-1);
    if (!last) return count;
    for (const { id, body } of rows) await tx`update stored_responses set body = ${renew(body)} where id = ${id}`;
    count += rows.length;
    after = last.id;
  }
}

async function renewOptions(tx: Statements, renew: Renew): Promise<number> {
  const rows = await tx<{ key: string; value: string }[]>`select key, value from options`;
  const secret = rows.filter(
    ({ key, value }) => value !== "" && (key === KEY_CHECK_ROW || findOption(key)?.traits.secret === true),
  );
  for (const { key, value } of secret) await tx`update options set value = ${renew(value)} where key = ${key}`;
  return secret.length;
}

async function renewUsers(tx: Statements, renew: Renew): Promise<number> {
  const names = [...SECRET_SETTINGS];
  const rows = await tx<{ id: number; setting: Record<string, unknown> }[]>`
    select id, setting from users where setting ?| ${names}::text[]`;
  let count = 0;
  for (const { id, setting } of rows) {
    const renewed: Record<string, string> = {};
    for (const name of names) {
      const cipher = setting[name];
      if (typeof cipher === "string" && cipher !== "") renewed[name] = renew(cipher);
    }
    count += Object.keys(renewed).length;
    await tx`update users set setting = setting || ${JSON.stringify(renewed)}::text::jsonb where id = ${id}`;
  }
  return count;
}
