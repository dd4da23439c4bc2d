import { chownSync, closeSync, existsSync, lstatSync, openSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { DataDirError } from "./data-dir.ts";

type Owner = Readonly<{ uid: number; gid: number }>;

/** Runs something short and synchronous as the user who started the command: files outside of DATA_DIR are theirs. */
export type AsCaller = <T>(run: () => T) => T;

const asItself: AsCaller = (run) => run();

/** What a gateway makes in its data directory; a volume itself may belong to root, with a group that may write. */
const OWN_FOLDERS = ["postgres", "journal"];
/** Copied in by hand before a restore, so by root. */
const COPIED = "secret.key";

/**
 * Makes this process act as the user to whom a data directory belongs, so that no file in it gets another owner: root becomes
 * that user for good (`isForGood`) or until it ends, and gets back what runs a function as root again; whoever else is not the
 * owner gets a DataDirError with the command to use. Does nothing where there is no such directory, or there are no users
 * (Windows).
 */
export function becomeOwner(dataDir: string, isForGood = false): AsCaller {
  const home = resolve(dataDir);
  const owner = ownerOf(home);
  const uid = process.geteuid?.();
  if (owner === null || uid === undefined || owner.uid === uid) return asItself;
  if (uid !== 0) throw new DataDirError(explainOtherUser(home, owner, uid));
  const copied = join(home, COPIED);
  if (existsSync(copied) && lstatSync(copied).uid === 0) chownSync(copied, owner.uid, owner.gid);
  process.setgroups?.([...new Set([owner.gid, statSync(home).gid])]);
  if (isForGood) {
    process.setgid?.(owner.gid);
    process.setuid?.(owner.uid);
  } else {
    process.setegid?.(owner.gid);
    process.seteuid?.(owner.uid);
  }
  requireReachable(home, owner);
  return isForGood ? asItself : (run) => runAsRoot(owner, run);
}

function runAsRoot<T>(owner: Owner, run: () => T): T {
  process.seteuid?.(0);
  process.setegid?.(0);
  try {
    return run();
  } finally {
    process.setegid?.(owner.gid);
    process.seteuid?.(owner.uid);
  }
}

function ownerOf(home: string): Owner | null {
  if (!existsSync(home)) return null;
  const made = OWN_FOLDERS.map((name) => join(home, name)).find((path) => existsSync(path));
  if (made !== undefined) return statSync(made);
  // A new volume may belong to root, with rights for a group or for everybody: its first user becomes its owner.
  return process.geteuid?.() === 0 || !canRead(home) ? statSync(home) : null;
}

function requireReachable(home: string, owner: Owner): void {
  if (canRead(home)) return;
  throw new DataDirError(
    `DATA_DIR (${home}) belongs to ${userOf(owner.uid)}, who can't reach it: a folder above is closed to that user. ` +
      "With DynamicUser= in a systemd unit, use User= instead",
  );
}

function canRead(folder: string): boolean {
  try {
    readdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

const explainOtherUser = (home: string, owner: Owner, uid: number): string =>
  `DATA_DIR (${home}) belongs to ${userOf(owner.uid)}, and this is ${userOf(uid)}: run the command as its owner, for example ` +
  `setpriv --reuid=${owner.uid} --regid=${owner.gid} --clear-groups env DATA_DIR=${home} sluice …, or as root, who becomes its owner`;

/**
 * Why a folder can't be used, where it is because of the owner of one of its files: the file, whose it is, and the command
 * that gives it back. Null where this process may read and write all of them. `home`: the data directory.
 */
export function explainUnreadable(home: string, folder: string): string | null {
  const path = findUnreadable(folder);
  if (path === null) return null;
  const owner = ownerOf(home) ?? statSync(home);
  const uid = process.geteuid?.() ?? owner.uid;
  const { uid: fileUid } = lstatSync(path);
  return (
    `${path} belongs to ${userOf(fileUid)} and is closed to ${userOf(uid)}. Its contents are all right: ` +
    `give the files back with chown -R ${uid}:${process.getegid?.() ?? owner.gid} ${home}, then start again`
  );
}

function findUnreadable(path: string): string | null {
  try {
    const stats = lstatSync(path);
    if (stats.isDirectory()) {
      for (const name of readdirSync(path)) {
        const found = findUnreadable(join(path, name));
        if (found !== null) return found;
      }
    } else if (stats.isFile()) closeSync(openSync(path, "r+"));
    return null;
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    return code === "EACCES" || code === "EPERM" ? path : null;
  }
}

/** A user in words, with the name where the system knows one. */
function userOf(uid: number): string {
  const name = namesOfUsers().get(uid);
  return name === undefined ? `user ${uid}` : `${name} (user ${uid})`;
}

/** The names of /etc/passwd; empty where there is no such file. See passwd(5). */
function namesOfUsers(): ReadonlyMap<number, string> {
  try {
    const lines = readFileSync("/etc/passwd", "utf8").split("\n");
    return new Map(lines.map((line) => line.split(":")).map(([name = "", , uid]) => [Number(uid), name]));
  } catch {
    return new Map();
  }
}
