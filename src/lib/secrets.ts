import { randomBytes } from "node:crypto";
import { chmod, link, mkdir, open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { deriveKey } from "./crypto.ts";

/** What everything secret rests on. Replicas that share a database must have the same two values. */
export type Secrets = Readonly<{
  encryptionKey: string;
  /** Hashes session cookies: another value ends every session. */
  sessionSecret: string;
  /** Where the encryption key came from, for messages. */
  source: string;
}>;

/** The key is missing, unreadable or not the database's; the message says what to do. */
export class SecretsError extends Error {
  override name = "SecretsError";
}

const KEY_FILE = "secret.key";
const LEAST_CHARACTERS = 16;

/**
 * The secrets of the environment (ENCRYPTION_KEY, SESSION_SECRET); without ENCRYPTION_KEY the key file of the data
 * directory, created at the first start with mode 0600. Without SESSION_SECRET it follows from the encryption key, so one
 * value is enough for replicas to agree. Throws SecretsError.
 */
export async function loadSecrets(
  config: Readonly<{ dataDir: string; encryptionKey: string | null; sessionSecret: string | null }>,
): Promise<Secrets> {
  const path = join(config.dataDir, KEY_FILE);
  const encryptionKey = config.encryptionKey ?? (await readOrCreateKeyFile(config.dataDir, path));
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
  // Written whole beside it, then linked: a crash leaves no half key, and of two first starts one key wins.
  const draft = `${path}.${process.pid}.${randomBytes(4).toString("hex")}`;
  try {
    const file = await open(draft, "wx", 0o600);
    await file.writeFile(`${randomBytes(32).toString("hex")}\n`);
    await file.sync();
    await file.close();
    await link(draft, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  } catch (error) {
    throw new SecretsError(`cannot create the key file ${path}: ${error instanceof Error ? error.message : error}`);
  } finally {
    await rm(draft, { force: true });
  }
  const created = await readKeyFile(path);
  if (created === null) throw new SecretsError(`the key file ${path} vanished while it was being created`);
  return created;
}

async function readKeyFile(path: string): Promise<string | null> {
  try {
    const key = (await readFile(path, "utf8")).trim();
    await chmod(path, 0o600);
    return key;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw new SecretsError(`cannot read the key file ${path}: ${error instanceof Error ? error.message : error}`);
  }
}
