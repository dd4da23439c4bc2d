import { chmod, lstat, mkdir, mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** sun_path holds 108 bytes with its closing zero. */
const LONGEST_SOCKET_PATH = 107;
/** The engine's own socket, the one on which the gateway takes commands, and that of the supervisor of workers. */
export const ENGINE_SOCKET = "engine.sock";
export const CONTROL_SOCKET = "control.sock";
export const SUPERVISOR_SOCKET = "supervisor.sock";

/**
 * Makes the directory for the sockets of a data directory, which only this user can enter: `run` next to the data. Where
 * that path is too long for a socket it is a link to a directory in the system's temporary folder. Returns the path to use.
 */
export async function createRunDirectory(home: string): Promise<string> {
  const path = join(home, "run");
  await removeRunDirectory(home);
  if (Buffer.byteLength(join(path, SUPERVISOR_SOCKET)) <= LONGEST_SOCKET_PATH) {
    await mkdir(path, { mode: 0o700 });
    await chmod(path, 0o700);
    return path;
  }
  const elsewhere = await mkdtemp(join(tmpdir(), "sluice-"));
  await symlink(elsewhere, path);
  return elsewhere;
}

/** Where the process that serves a data directory has its sockets; null: none has. */
export const findRunDirectory = (home: string): Promise<string | null> => realpath(join(home, "run")).catch(() => null);

export async function removeRunDirectory(home: string): Promise<void> {
  const path = join(home, "run");
  const found = await lstat(path).catch(() => null);
  if (found?.isSymbolicLink()) {
    const elsewhere = await findRunDirectory(home);
    // Only what createRunDirectory made: nothing else may be deleted through a link.
    if (elsewhere?.startsWith(join(await realpath(tmpdir()), "sluice-"))) await rm(elsewhere, { recursive: true });
  }
  await rm(path, { recursive: true, force: true });
}
