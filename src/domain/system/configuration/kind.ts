import type { Changes } from "../../../../db/changes.ts";
import type { Db } from "../../../../db/types.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import type { Settings } from "../../../settings/settings.ts";
import type { Right } from "../../accounts/access/access-rules.ts";
import type { UserEntry } from "../../accounts/directory.ts";
import type { ConfigurationDocument, KindName } from "./document.ts";

/** Where entries are read and written: one transaction, with the options as it sees them. */
export type Scope = Readonly<{ db: Db; changes: Changes; vault: Vault; settings: Settings; actor: UserEntry }>;

/** An entry by its fields, as a file has it. */
export type Entry = Readonly<Record<string, unknown>>;

/** A resource that the site has. */
export type Stored = Readonly<{
  /** Its row; 0: it has none of its own. */
  id: number;
  /** What a file calls it. */
  name: string;
  /** All its fields, with secrets. */
  entry: Entry;
  /** Exactly as a new site has it: an export leaves it out. */
  isInitial?: boolean;
}>;

/** How resources of a kind are written in one transaction. Its functions throw OperationError and FieldError. */
export type Writer<E> = Readonly<{
  stored: readonly Stored[];
  create(entry: E, name: string): Promise<unknown>;
  /** `changed`: the fields of the entry that differ. */
  update(stored: Stored, changed: Partial<E>, entry: E): Promise<unknown>;
  remove(stored: Stored): Promise<unknown>;
  /** Writes what the functions above have collected. */
  finish?(): Promise<unknown>;
}>;

/** A kind of resource: its section of the file, and how the site has it. */
export type Kind<E> = Readonly<{
  section: KindName;
  /** What a service account, or a person with a role of their own, needs besides the right to change settings. */
  right: Right;
  /** Several may have a name: those of a file are distinguished by their order. */
  hasNamesakes?: true;
  /** The entries of the section with their names, in the order in which they are written. */
  entriesOf(document: ConfigurationDocument): readonly Named<E>[];
  open(scope: Scope, entries: readonly Named<E>[]): Promise<Writer<E>>;
  /** The section is a map by name, of what this makes of an entry; else it is a list of entries. */
  toValue?(entry: Entry): unknown;
  /** Where the entry has secrets. */
  secretsOf(entry: Entry, name: string): readonly SecretPath[];
  /** What a field is when it is absent from a new one: an export leaves it out. */
  defaults: Entry;
}>;

export type SecretPath = readonly string[];

/** An entry with its name and where its section has it: a number in a list, a name in a map. */
export type Named<E> = Readonly<{ name: string; at: number | string; entry: E }>;

/** The entries of a list. */
export const listed = <E>(section: readonly E[] | undefined, nameOf: (entry: E) => string): Named<E>[] =>
  (section ?? []).map((entry, at) => ({ name: nameOf(entry), at, entry }));

/** The entries of a map. */
export const mapped = <V, E>(section: Readonly<Record<string, V>> | undefined, entryOf: (value: V) => E): Named<E>[] =>
  Object.entries(section ?? {}).map(([name, value]) => ({ name, at: name, entry: entryOf(value) }));

/** A kind whose type of entries is its own affair: `use` gets it with that type. */
export type AnyKind = <R>(use: <E>(kind: Kind<E>) => R) => R;

export const anyKind =
  <E>(kind: Kind<E>): AnyKind =>
  (use) =>
    use(kind);
