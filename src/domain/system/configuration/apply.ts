import { FieldError } from "../../../lib/field-readers.ts";
import type { MessageCode, MessageParams } from "../../../lib/messages.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { Right } from "../../accounts/access/access-rules.ts";
import type { UserEntry } from "../../accounts/directory.ts";
import { writeManagementLog } from "../../logs/write-log.ts";
import { compare, digestOf, isSame, type PlannedChange, tellApart } from "./difference.ts";
import type { ConfigurationDocument, KindName } from "./document.ts";
import type { Entry, Kind, Named, Scope, Stored, Writer } from "./kind.ts";
import { KINDS } from "./kinds/index.ts";
import { forgetManaged, listManaged, type Managed, noteManaged } from "./managed.ts";
import { type ConfigurationDeps, inTransaction, tryOut } from "./transaction.ts";

/** What is wrong with an entry of the document; `field` is below it, null: the entry as such. */
export type Problem = Readonly<{
  section: KindName;
  /** A number in a list, a name in a map; null: the section. */
  at: number | string | null;
  field: string | null;
  code: MessageCode;
  params: MessageParams;
}>;

export type ApplyInput = Readonly<{
  document: ConfigurationDocument;
  /** Marks the resources of these files. */
  label: string;
  /** What files of this label made and name no more is deleted. */
  prunes: boolean;
  isDry: boolean;
  /** The digest of the plan that somebody has agreed to; null: any. */
  expected: string | null;
}>;

export type Applied = Readonly<{
  changes: readonly PlannedChange[];
  /** Entries that are as the site has them. */
  same: number;
  digest: string;
  problems: readonly Problem[];
  isApplied: boolean;
}>;

/** Who applies: `rights` null: all that their role allows. */
export type Applier = Readonly<{ actor: UserEntry; rights: ReadonlySet<Right> | null }>;

/**
 * Makes the site what the document says, in one transaction: all of it, or with a problem, and where it is dry, nothing. What the
 * document does not name is not touched. Rejects OperationError: a right is missing, or the plan is not the expected one.
 */
export async function applyConfiguration(
  deps: ConfigurationDeps,
  { actor, rights }: Applier,
  { document, label, prunes, isDry, expected }: ApplyInput,
): Promise<Applied> {
  return inTransaction(deps, actor, async (scope) => {
    const managed = prunes ? await listManaged(scope.db, label) : [];
    const parts = KINDS.map((use) => use((kind) => partOf(kind, scope, { document, label, managed, rights })));
    const used = parts.filter((part) => part !== null);
    const problems: Problem[] = [];
    for (const part of used) problems.push(...(await part.write()));
    for (const part of [...used].reverse()) problems.push(...(await part.prune()));
    const done = problems.length > 0 ? [] : await inTurn(used, (part) => part.compare());
    const changes = done.flatMap((part) => part.changes);
    const digest = digestOf(changes);
    const keeps = problems.length === 0 && !isDry;
    if (keeps) {
      if (expected !== null && expected !== digest) throw new OperationError("configuration_plan_differs");
      for (const part of used) await part.note();
      await logApplied(scope, label, changes);
    }
    const same = done.reduce((sum, part) => sum + part.same, 0);
    return { result: { changes, same, digest, problems, isApplied: keeps }, keeps };
  });
}

type PartInput = Readonly<{
  document: ConfigurationDocument;
  label: string;
  managed: readonly Managed[];
  rights: ReadonlySet<Right> | null;
}>;

/** What applying a section takes, step by step; null: neither the document nor a deletion is about it. */
function partOf<E>(kind: Kind<E>, scope: Scope, { document, label, managed, rights }: PartInput) {
  const { section, right } = kind;
  const entries = kind.entriesOf(document);
  const marked = managed.filter((resource) => resource.section === section);
  if (entries.length === 0 && marked.length === 0) return null;
  if (rights && !rights.has(right)) throw new OperationError("right_missing", { right }, { status: 403 });
  const named = tellApart(entries);
  const unnamed = marked.filter(({ name }) => !named.has(name));
  let before: readonly Stored[] = [];
  let after: readonly Stored[] = [];
  return {
    write: () =>
      watch(section, async (report) => {
        const writer = await kind.open(scope, entries);
        before = writer.stored;
        const stored = tellApart(before);
        for (const [name, entry] of named) {
          if (!kind.hasNamesakes && name !== entry.name) {
            report(
              problemOf(section, entry.at, null, new OperationError("configuration_named_twice", { name: entry.name })),
            );
            continue;
          }
          await writeEntry({ kind, scope, writer, report }, entry, stored.get(name));
        }
        await writer.finish?.();
      }),
    prune: () =>
      watch(section, async () => {
        const writer = unnamed.some(({ isMade }) => isMade) ? await kind.open(scope, []) : null;
        const stored = tellApart(writer?.stored ?? []);
        for (const { name, targetId, isMade } of unnamed) {
          const resource = targetId > 0 ? writer?.stored.find(({ id }) => id === targetId) : stored.get(name);
          if (isMade && resource && !resource.isInitial) await writer?.remove(resource);
        }
        await writer?.finish?.();
      }),
    async compare() {
      after = (await kind.open(scope, [])).stored;
      const changes = compare(kind, before, after);
      const released = unnamed
        .filter(({ name, isMade }) => !isMade && tellApart(after).has(name))
        .map(({ name }): PlannedChange => ({ section, name, action: "release", fields: [] }));
      const touched = new Set(changes.map(({ name }) => name));
      return {
        changes: [...changes, ...released],
        same: [...named.keys()].filter((name) => !touched.has(name)).length,
      };
    },
    async note() {
      const [earlier, present] = [tellApart(before), tellApart(after)];
      const resources = [...named.keys()].map((name): Managed => {
        const stored = earlier.get(name);
        const isMade = stored === undefined || stored.isInitial === true;
        return { section, name, targetId: present.get(name)?.id ?? 0, label, isMade };
      });
      await forgetManaged(
        scope.db,
        section,
        unnamed.map(({ name }) => name),
      );
      await noteManaged(scope.db, resources);
    },
  };
}

type Report = (problem: Problem) => void;
type EntryWriter<E> = Readonly<{ kind: Kind<E>; scope: Scope; writer: Writer<E>; report: Report }>;

async function writeEntry<E>(
  { kind, scope, writer, report }: EntryWriter<E>,
  { name, at, entry }: Named<E>,
  stored: Stored | undefined,
): Promise<void> {
  const changed = stored ? differing(entry, stored.entry) : entry;
  if (Object.keys(changed as Entry).length === 0) return;
  const write = (fields: Partial<E>, complete: E) =>
    stored ? writer.update(stored, fields, complete) : writer.create(complete, name);
  try {
    await write(changed, entry);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const field =
      error instanceof OperationError ? await findField(kind, scope, { changed, entry, error }, write) : null;
    report(problemOf(kind.section, at, field, error));
  }
}

/** The fields of an entry that the site has otherwise. */
function differing<E>(entry: E, stored: Entry): Partial<E> {
  const fields = Object.entries(entry as Entry).filter(([field, value]) => !isSame(value, stored[field]));
  return Object.fromEntries(fields) as Partial<E>;
}

/** Fields that an entry can't be without. */
const REQUIRED: ReadonlySet<string> = new Set(["name", "type", "owner", "organization", "scope", "period", "event"]);

/** What stands for fields that a new entry can't be without. */
const PLACEHOLDERS: Entry = { key: "sk-placeholder-of-a-key", models: ["placeholder"] };

type Refused<E> = Readonly<{ changed: Partial<E>; entry: E; error: OperationError }>;

/** The field without which the site would not have refused the entry, or would have for another reason; null: none. */
async function findField<E>(
  kind: Kind<E>,
  { db }: Scope,
  { changed, entry, error }: Refused<E>,
  write: (changed: Partial<E>, entry: E) => Promise<unknown>,
): Promise<string | null> {
  const stated = error.params.field;
  if (typeof stated === "string" && Object.hasOwn(entry as Entry, stated)) return stated;
  // The entries of a map are collected before they are written.
  if (kind.toValue) return null;
  let other: string | null = null;
  for (const field of Object.keys(changed as Entry).filter((name) => !REQUIRED.has(name))) {
    try {
      await tryOut(db, () => write(without(changed, field), without<E>(entry, field) as E));
      return field;
    } catch (refusal) {
      if (!(refusal instanceof OperationError)) throw refusal;
      if (refusal.code !== error.code) other ??= field;
    }
  }
  return other;
}

/** The entry without a field, or with its placeholder. */
const without = <E>(entry: Partial<E>, field: string): Partial<E> => {
  const others = Object.entries(entry as Entry).filter(([name]) => name !== field);
  const placeholder = Object.hasOwn(PLACEHOLDERS, field) ? [[field, PLACEHOLDERS[field]] as const] : [];
  return Object.fromEntries([...others, ...placeholder]) as Partial<E>;
};

/** Runs a step of a section; a refusal that is about no single entry is a problem of the section. */
async function watch(section: KindName, work: (report: Report) => Promise<void>): Promise<Problem[]> {
  const problems: Problem[] = [];
  try {
    await work((problem) => problems.push(problem));
  } catch (error) {
    if (!isRefusal(error)) throw error;
    problems.push(problemOf(section, null, null, error));
  }
  return problems;
}

const isRefusal = (error: unknown): error is OperationError | FieldError =>
  error instanceof OperationError || error instanceof FieldError;

function problemOf(
  section: KindName,
  at: Problem["at"],
  field: string | null,
  error: OperationError | FieldError,
): Problem {
  if (error instanceof OperationError) return { section, at, field, code: error.code, params: error.params };
  const { field: own, expected } = error;
  return { section, at, field: own || field, code: "field_invalid", params: { field: own, expected } };
}

async function inTurn<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const item of items) results.push(await work(item));
  return results;
}

async function logApplied({ db, actor }: Scope, label: string, changes: readonly PlannedChange[]): Promise<void> {
  if (changes.length === 0) return;
  const count = (action: PlannedChange["action"]) => changes.filter((change) => change.action === action).length;
  const params = { label, created: count("create"), changed: count("update"), deleted: count("delete") };
  const sums = `${params.created} created, ${params.changed} changed, ${params.deleted} deleted`;
  await writeManagementLog(db, actor, `Applied configuration files with the label ${label}: ${sums}`, {
    note: { code: "configuration_applied", params },
    action: "update",
    after: {
      resources: changes.map(({ section, name, action }) => `${action} ${section}/${name}`).slice(0, MOST_NAMED),
    },
  });
}

const MOST_NAMED = 200;
