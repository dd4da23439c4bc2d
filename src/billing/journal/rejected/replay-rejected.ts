import { existsSync } from "node:fs";
import { appendFile, mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Sql } from "../../../../db/types.ts";
import { messageOf } from "../../../lib/runtime/error-message.ts";
import type { UsageRecord } from "../../types.ts";
import { applyOrphanBatch, TOO_OLD } from "../apply/apply-batch.ts";
import { isField, recordText, wrongField } from "../apply/record-text.ts";
import { failureOf } from "../failure.ts";
import { claimDirectory } from "../segments/adopt-orphans.ts";
import { type RejectedEntry, RejectedRecords } from "./rejected.ts";

/** Held while the file is worked on, so that of two commands one waits for another day. */
const LOCK_DIRECTORY = ".replay";
/** Files that are being worked on begin so; the gateway goes on adding to the file of the usual name. */
const WORK_PREFIX = "rejected.replaying.";
/** What an operator acknowledged as lost. */
const ACKNOWLEDGED_FILE = "rejected.acknowledged.jsonl";

/** A rejected charge with its place in the file, counted from 1; `problem`: why it can't be replayed as it stands. */
export type NumberedEntry = Readonly<{ number: number; entry: RejectedEntry | null; problem: string | null }>;

/** A record as it was edited, or why it was not. */
export type EditOutcome = Readonly<{ record: UsageRecord | null; problem: string | null }>;

/** Which entries: the number of one, or the request id of its record; null: all. */
export type Which = string | null;

export type ReplayResult = Readonly<{
  charged: readonly UsageRecord[];
  /** They were charged already. */
  known: number;
  /** Still rejected, with the reasons. */
  left: readonly Readonly<{ number: number; reason: string }>[];
}>;

/** The rejected charges of a journal's root directory, as an operator may have edited them. */
export async function listRejected(root: string): Promise<NumberedEntry[]> {
  const lines = await linesOf([...(await listWorkFiles(root)), new RejectedRecords(root).path]);
  return lines.map((line, index) => ({ number: index + 1, ...parse(line) }));
}

/**
 * Charges the rejected records that are valid (again, or since an operator repaired them), all or one, each once however often
 * it is tried, and takes them out of `rejected.jsonl`; the others stay. `force` also charges those that are older than what the
 * database remembers. Works while a gateway runs. Throws when another replay is under way; rejects when the database
 * does not answer: nothing is lost then, and the next replay goes on.
 */
export function replayRejected(
  sql: Sql,
  root: string,
  { which = null, ...options }: Readonly<{ force?: boolean; which?: Which }>,
): Promise<ReplayResult> {
  return workOn(root, async (lines) => {
    const charged: UsageRecord[] = [];
    const left: { number: number; reason: string }[] = [];
    const retained: string[] = [];
    let known = 0;
    for (const [index, line] of lines.entries()) {
      const { entry, problem } = parse(line);
      if (which !== null && !isNamed(which, index + 1, entry)) {
        retained.push(line);
        continue;
      }
      const record = problem === null ? (entry?.record ?? null) : null;
      const reason = record && entry ? await charge(sql, entry, record, options) : problem;
      if (record && reason === null) charged.push(record);
      else if (record && reason === KNOWN) known += 1;
      else {
        retained.push(line);
        left.push({ number: index + 1, reason: reason ?? "" });
      }
    }
    return { remaining: retained, result: { charged, known, left } };
  });
}

/**
 * Changes a field of a rejected record, such as `modelName` or `other.tags`; `value` is JSON, or the text itself. Of a damaged line
 * it becomes the record to charge what the line reads as. Answers what the record is then, or why it can't be; null: there is no
 * such entry. `sluice journal replay` charges it.
 */
export function editRejected(root: string, which: string, field: string, value: string): Promise<EditOutcome | null> {
  return workOn<EditOutcome | null>(root, async (lines) => {
    const index = lines.findIndex((line, at) => isNamed(which, at + 1, entryOf(line)));
    const entry = index < 0 ? null : entryOf(lines[index] ?? "");
    if (!entry) return { remaining: lines, result: null };
    const record = entry.record ?? entry.readable ?? null;
    const edited = record && withField(record, field, value);
    const wrong = edited ? wrongField(edited) : "record";
    if (!edited || wrong !== null) {
      return { remaining: lines, result: { record: null, problem: `${wrong} is missing or wrong` } };
    }
    const line = JSON.stringify({ ...entry, record: edited });
    return { remaining: lines.with(index, line), result: { record: edited, problem: null } };
  });
}

const isNamed = (which: string, number: number, entry: RejectedEntry | null): boolean =>
  which === String(number) || which === (entry?.record ?? entry?.readable)?.requestId;

/** The record with another value of a field, or of a member of `other`; null: it has no such field. */
function withField(record: UsageRecord, field: string, text: string): UsageRecord | null {
  const [name = "", member, ...rest] = field.split(".");
  if (!isField(name) || rest.length > 0 || (member !== undefined && name !== "other")) return null;
  const value = typeof record[name] === "string" && member === undefined ? text : jsonOr(text);
  return member === undefined
    ? { ...record, [name]: value }
    : { ...record, other: { ...record.other, [member]: value } };
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Takes all rejected charges out of the count: an operator knows that they are lost. A file next to it keeps them. */
export function acknowledgeRejected(root: string): Promise<number> {
  return workOn(root, async (lines) => {
    const text = lines.map((line) => `${line}\n`).join("");
    if (text !== "") await appendFile(join(root, ACKNOWLEDGED_FILE), text, { mode: 0o600, flush: true });
    return { remaining: [], result: lines.length };
  });
}

const KNOWN = "charged already";

/** Null when it was charged, else why not. */
async function charge(
  sql: Sql,
  { process, charged: isCharged }: RejectedEntry,
  record: UsageRecord,
  options: Readonly<{ force?: boolean }>,
): Promise<string | null> {
  if (isCharged) return KNOWN;
  try {
    const { charged, tooOld } = await applyOrphanBatch(sql, process, [recordText(record)], options);
    if (tooOld.length > 0) return TOO_OLD;
    return charged > 0 ? null : KNOWN;
  } catch (error) {
    if (failureOf(error) === "away") throw error;
    return messageOf(error);
  }
}

/** Hands the lines to `work`, and puts back those that it keeps, or all of them when it fails. */
async function workOn<Result>(
  root: string,
  work: (lines: string[]) => Promise<{ remaining: string[]; result: Result }>,
): Promise<Result> {
  const lock = join(root, LOCK_DIRECTORY);
  await mkdir(lock, { recursive: true, mode: 0o700 });
  const claim = claimDirectory(lock);
  if (!claim) throw new Error("another command is working on the rejected charges: try again when it is done");
  const rejected = new RejectedRecords(root).path;
  const putBack = async (lines: readonly string[]) => {
    const text = lines.map((line) => `${line}\n`).join("");
    if (text !== "") await appendFile(rejected, text, { mode: 0o600, flush: true });
  };
  try {
    if (existsSync(rejected)) await rename(rejected, join(root, `${WORK_PREFIX}${Date.now()}.jsonl`));
    // With what a command left behind that was killed.
    const files = await listWorkFiles(root);
    const lines = await linesOf(files);
    const finish = async (retained: readonly string[]) => {
      // The gateway may have added one to the file while it was renamed.
      await putBack([...retained, ...(await linesOf(files)).slice(lines.length)]);
      for (const file of files) await rm(file);
    };
    const { remaining, result } = await work(lines).catch(async (error) => {
      await finish(lines);
      throw error;
    });
    await finish(remaining);
    return result;
  } finally {
    claim.release();
  }
}

async function listWorkFiles(root: string): Promise<string[]> {
  const names = existsSync(root) ? await readdir(root) : [];
  return names
    .filter((name) => name.startsWith(WORK_PREFIX))
    .sort()
    .map((name) => join(root, name));
}

async function linesOf(paths: readonly string[]): Promise<string[]> {
  const texts = await Promise.all(paths.filter((path) => existsSync(path)).map((path) => readFile(path, "utf8")));
  return texts.flatMap((text) => text.split("\n").filter((line) => line.trim() !== ""));
}

function parse(line: string): Readonly<{ entry: RejectedEntry | null; problem: string | null }> {
  const entry = entryOf(line);
  if (!entry) return { entry: null, problem: "the line is no JSON object of this file" };
  if (entry.record === null) return { entry, problem: `it has no record to charge: ${entry.reason}` };
  const wrong = wrongField(entry.record);
  return { entry, problem: wrong === null ? null : `its record is not valid: ${wrong} is missing or wrong` };
}

function entryOf(line: string): RejectedEntry | null {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== "object" || value === null || !("record" in value)) return null;
    // Lines of earlier releases do not name the process.
    return { at: "", reason: "", process: "", ...value } as RejectedEntry;
  } catch {
    return null;
  }
}
