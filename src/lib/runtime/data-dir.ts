import { constants } from "node:fs";
import { access, mkdir, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { messageOf } from "./error-message.ts";

/** The data directory can't be used; the message names the variable and says what to do. */
class DataDirError extends Error {
  override name = "DataDirError";
}

/**
 * Makes the data directory where it is missing, and makes sure that it can be written. `embedded`: the database lives in it
 * too. Throws DataDirError.
 */
export async function ensureDataDir(dataDir: string, embedded: boolean): Promise<void> {
  const home = resolve(dataDir);
  try {
    await mkdir(home, { recursive: true });
    if (!(await stat(home)).isDirectory()) throw new Error("it is not a directory");
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
