import { randomBytes } from "node:crypto";
import { chmod, link, mkdir, open, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../runtime/error-message.ts";
import { deriveKey } from "./crypto.ts";

/** What everything secret rests on. Replicas that share a database must have the same two values. */
export type Secrets = Readonly<{
  encryptionKey: string;
  /** Hashes session cookies: another value ends every session. */
  sessionSecret: string;
  /** Where the encryption key came from, for messages. */
  source: string;
}>;

type SecretsConfig = Readonly<{ dataDir: string; encryptionKey: string | null; sessionSecret: string | null }>;

/** The key is missing, unreadable or not the database's; the message says what to do. */
export class SecretsError extends Error {
  override name = "SecretsError";
}

export const KEY_FILE = "secret.key";
const LEAST_CHARACTERS = 16;
const OTHERS_MAY = 0o077;

/**
 * The secrets of the environment (ENCRYPTION_KEY, SESSION_SECRET); without ENCRYPTION_KEY the key file of the data
 * directory, created at the first start with mode 0600. Without SESSION_SECRET it follows from the encryption key, so one
 * value is enough for replicas to agree. Throws SecretsError.
 */
export async function loadSecrets(config: SecretsConfig): Promise<Secrets> {
  const path = join(config.dataDir, KEY_FILE);
  return secretsOf(config, config.encryptionKey ?? (await readOrCreateKeyFile(config.dataDir, path)));
}

/** The same, but null where there is no key yet, and nothing is created. Throws SecretsError. */
export async function loadExistingSecrets(config: SecretsConfig): Promise<Secrets | null> {
  const encryptionKey = config.encryptionKey ?? (await readKeyFile(join(config.dataDir, KEY_FILE)));
  return encryptionKey === null ? null : secretsOf(config, encryptionKey);
}

function secretsOf(config: SecretsConfig, encryptionKey: string): Secrets {
  const path = join(config.dataDir, KEY_FILE);
  const source = config.encryptionKey === null ? `the key file ${path}` : "ENCRYPTION_KEY";
  if (encryptionKey.length < LEAST_CHARACTERS) {
    throw new SecretsError(`${source} is too short: at least ${LEAST_CHARACTERS} random characters are needed`);
  }
  const sessionSecret = config.sessionSecret ?? deriveKey(encryptionKey, "sluice sessions v1").toString("hex");
  return { encryptionKey, sessionSecret, source };
}

async function readOrCreateKeyFile(dataDir: string, path: string): Promise<string> {
  const known = await readKeyFile(path);
  if (known !== null) return known;
  await mkdir(dataDir, { recursive: true });
  // Written completely to a file next to it, then linked: a crash leaves no partial key, and of two first starts one key wins.
  const draft = `${path}.${process.pid}.${randomBytes(4).toString("hex")}`;
  try {
    await writeKeyFile(draft, randomBytes(32).toString("hex"));
    await link(draft, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  } catch (error) {
    throw new SecretsError(
      `cannot create the key file ${path} (${messageOf(error)}): set ENCRYPTION_KEY, or make DATA_DIR writable`,
    );
  } finally {
    await rm(draft, { force: true });
  }
  const created = await readKeyFile(path);
  if (created === null) throw new SecretsError(`the key file ${path} vanished while it was being created`);
  return created;
}

/** Writes a key to a new file that only its owner reads; it is on the disk when this resolves. Rejects where the file exists. */
export async function writeKeyFile(path: string, key: string): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(`${key}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** The key in a file; null where there is none. Throws SecretsError where it cannot be read. */
export async function readKeyFile(path: string): Promise<string | null> {
  try {
    const key = (await readFile(path, "utf8")).trim();
    // Where it may not be changed (mounted read-only, somebody else's) the doctor says who can read it.
    if (((await stat(path)).mode & OTHERS_MAY) !== 0) await chmod(path, 0o600).catch(() => {});
    return key;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw new SecretsError(
      `cannot read the key file ${path} (${messageOf(error)}): let this user read it, or set ENCRYPTION_KEY to what it holds`,
    );
  }
}
