import { constants } from "node:fs";
import { access, chmod, mkdir, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { messageOf } from "./error-message.ts";

/** The data directory can't be used; the message names the variable and says what to do. */
export class DataDirError extends Error {
  override name = "DataDirError";
}

/** What others than the owner may do with a directory. */
const OTHERS_MAY = 0o077;
const STICKY = 0o1000;

/**
 * Makes the data directory where it is missing, closes it to other users, and makes sure that it can be written. `embedded`: the database lives in it
 * too. Throws DataDirError.
 */
export async function ensureDataDir(dataDir: string, embedded: boolean): Promise<void> {
  const home = resolve(dataDir);
  try {
    await mkdir(home, { recursive: true, mode: 0o700 });
    const stats = await stat(home);
    if (!stats.isDirectory()) throw new Error("it is not a directory");
    const isShared = home === "/" || home === homedir() || (stats.mode & STICKY) !== 0;
    // Only its owner can: a volume may belong to root, with a group that may write.
    if ((stats.mode & OTHERS_MAY) !== 0 && stats.uid === process.geteuid?.() && !isShared) await chmod(home, 0o700);
    await access(home, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const reason = messageOf(error);
    const contents = embedded
      ? "the embedded database, the encryption key and the journal of charges"
      : "the journal of charges";
    throw new DataDirError(
      `DATA_DIR (${home}) can't be written: ${reason}. Sluice keeps ${contents} there: make it a directory that the user of ` +
        "this process owns, on a volume that is mounted writable, or set DATA_DIR to another one",
    );
  }
}
