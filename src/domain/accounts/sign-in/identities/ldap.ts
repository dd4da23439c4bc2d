import type { Client, Entry } from "ldapts";
import { OperationError } from "../../../../lib/operation-error.ts";
import { messageOf } from "../../../../lib/runtime/error-message.ts";
import type { SettingsReader } from "../../../../settings/settings.ts";
import { type OutsideIdentity, subjectOf } from "./provider.ts";

export const LDAP_LABEL = "LDAP";
const TIMEOUT_MS = 5_000;
/** Groups of one person that are read at most. */
const MOST_GROUPS = 1_000;
const MOST_GROUPS_IN_PARTS = 20_000;
/** The value of the first part of a distinguished name, by which programs show the entry. */
const FIRST_NAME = /^[^=,+]+=((?:\\.|[^,+\\])+)/;
/** Active Directory gives at most 1500 values of an attribute, and says where the next ones begin. */
const MEMBER_OF_PART = /^memberof;range=\d+-(\d+|\*)$/i;
/** What people are called at sign-in, where directories have it. */
const NAMES = ["uid", "sAMAccountName"] as const;

export type Credentials = Readonly<{ username: string; password: string }>;

/**
 * Whom a directory (RFC 4511) knows by a user name and password: finds the only entry by the filter of the settings, then binds as
 * it. Null: there is none, there are several, or the password is wrong. Throws OperationError when the directory does not answer
 * or is not set up right.
 */
export async function findInDirectory(
  settings: SettingsReader,
  { username, password }: Credentials,
): Promise<OutsideIdentity | null> {
  // A bind without a password is anonymous, and would succeed (RFC 4513, section 5.1.2).
  if (username === "" || password === "") return null;
  const { Client, InvalidCredentialsError } = await import("ldapts");
  const own = new Client(clientOptions(settings));
  const theirs = new Client(clientOptions(settings));
  try {
    await secure(own, settings);
    if (settings.get("ldap.bind_dn") !== "")
      await own.bind(settings.get("ldap.bind_dn"), settings.get("ldap.bind_password"));
    const entry = await findEntry(own, settings, username);
    if (!entry) return null;
    await secure(theirs, settings);
    try {
      await theirs.bind(entry.dn, password);
    } catch (error) {
      if (error instanceof InvalidCredentialsError) return null;
      throw error;
    }
    const identity = identityOf(settings, entry, username);
    return { ...identity, groups: await groupsOf(own, settings, entry, identity.username ?? username) };
  } catch (error) {
    if (error instanceof OperationError) throw error;
    throw new OperationError("oauth_unreachable", { service: LDAP_LABEL }, { logReason: reasonOf(error) });
  } finally {
    await Promise.allSettled([own.unbind(), theirs.unbind()]);
  }
}

const clientOptions = (settings: SettingsReader): ConstructorParameters<typeof Client>[0] => ({
  url: settings.get("ldap.url"),
  timeout: TIMEOUT_MS,
  connectTimeout: TIMEOUT_MS,
  // Names come from the directory itself.
  strictDN: false,
  // With these the client begins TLS at once, whatever the address says.
  ...(!isPlain(settings) && { tlsOptions: tlsOptions(settings) }),
});

const isPlain = (settings: SettingsReader): boolean => settings.get("ldap.url").startsWith("ldap:");

function tlsOptions(settings: SettingsReader) {
  const ca = settings.get("ldap.ca_certificate").trim();
  return { servername: URL.parse(settings.get("ldap.url"))?.hostname ?? "", ...(ca && { ca }) };
}

/** Begins TLS on a plain connection, unless the settings allow passwords without it. */
async function secure(client: Client, settings: SettingsReader): Promise<void> {
  if (isPlain(settings) && settings.get("ldap.start_tls")) await client.startTLS(tlsOptions(settings));
}

const MEMBER_OF = "memberOf";
/** Ids of Active Directory, which are of bytes. */
const BYTE_IDS = ["objectGUID", "objectSid"];

const attributesOf = (settings: SettingsReader) => ({
  id: settings.get("ldap.id_attribute"),
  name: settings.get("ldap.name_attribute"),
  email: settings.get("ldap.email_attribute"),
});

/** The only entry that the filter finds; null: none, or several. */
async function findEntry(client: Client, settings: SettingsReader, username: string): Promise<Entry | null> {
  const filter = settings.get("ldap.user_filter").replaceAll("{username}", escapeFilter(username));
  const { id, name, email } = attributesOf(settings);
  const { searchEntries } = await client.search(settings.get("ldap.user_base"), {
    ...{ scope: "sub", filter, sizeLimit: 2, attributes: [id, name, email, MEMBER_OF, ...NAMES].filter(Boolean) },
    // Ids may be of bytes; directories write the name of the attribute in their own way.
    explicitBufferAttributes: [id, ...BYTE_IDS],
  });
  const [entry] = searchEntries;
  return entry && searchEntries.length === 1 ? entry : null;
}

/** A value within a filter: whatever has a meaning there is escaped (RFC 4515, section 3). */
export const escapeFilter = (value: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: NUL ends filters of some servers
  value.replace(/[\\*()\u0000]/g, (sign) => `\\${sign.charCodeAt(0).toString(16).padStart(2, "0")}`);

function identityOf(settings: SettingsReader, entry: Entry, username: string): OutsideIdentity {
  const attributes = attributesOf(settings);
  const id = bytesOf(attributeIn(entry, attributes.id));
  const [displayName] = textsOf(attributeIn(entry, attributes.name));
  const [email] = textsOf(attributeIn(entry, attributes.email));
  const [called = username] = NAMES.flatMap((name) => textsOf(attributeIn(entry, name)));
  return {
    subject: subjectOf(id && subjectText(id), LDAP_LABEL),
    username: called,
    ...(displayName && { displayName }),
    ...(email && { email }),
  };
}

/** An id of text as it is, one of bytes in hexadecimal. */
function subjectText(id: Buffer): string {
  const text = id.toString("utf8");
  return /^[\x20-\x7e]+$/.test(text) ? text : id.toString("hex");
}

type Value = Entry[string];

/** An attribute of an entry: the case of its name says nothing (RFC 4512, section 1.4). */
function attributeIn(entry: Entry, name: string): Value | undefined {
  const requested = name.toLowerCase();
  return Object.entries(entry).find(([key]) => key !== "dn" && key.toLowerCase() === requested)?.[1];
}

const bytesOf = (value: Value | undefined): Buffer | null => {
  const first = Array.isArray(value) ? value[0] : value;
  return first === undefined ? null : Buffer.from(first);
};

const textsOf = (value: Value | undefined): string[] =>
  (Array.isArray(value) ? value : value === undefined ? [] : [value])
    .map((each) => each.toString().trim())
    .filter(Boolean);

/** The groups of an entry, each by its distinguished name and by its first name: those that the filter finds, else `memberOf`. */
async function groupsOf(client: Client, settings: SettingsReader, entry: Entry, username: string): Promise<string[]> {
  const base = settings.get("ldap.group_base");
  if (base === "") return (await membershipsOf(client, entry)).flatMap(namesOfGroup);
  const filter = settings
    .get("ldap.group_filter")
    .replaceAll("{dn}", escapeFilter(entry.dn))
    .replaceAll("{username}", escapeFilter(username));
  const { searchEntries } = await client.search(base, {
    ...{ scope: "sub", filter, sizeLimit: MOST_GROUPS, attributes: ["cn"] },
  });
  return searchEntries.flatMap(({ dn }) => namesOfGroup(dn));
}

/** The distinguished names in `memberOf`, which large directories give in parts. */
export async function membershipsOf(client: Pick<Client, "search">, entry: Entry): Promise<string[]> {
  const groups: string[] = textsOf(attributeIn(entry, MEMBER_OF));
  let part = memberOfPart(entry);
  while (part) {
    groups.push(...textsOf(part.value));
    if (part.next === null || groups.length >= MOST_GROUPS_IN_PARTS) break;
    const attributes = [`${MEMBER_OF};range=${part.next}-*`];
    const { searchEntries } = await client.search(entry.dn, { scope: "base", filter: "(objectClass=*)", attributes });
    part = searchEntries[0] && memberOfPart(searchEntries[0]);
  }
  return groups;
}

/** One part of `memberOf`, and the number of the next value; null: it was the last. */
function memberOfPart(entry: Entry): Readonly<{ value: Value; next: number | null }> | undefined {
  for (const [name, value] of Object.entries(entry)) {
    const last = MEMBER_OF_PART.exec(name)?.[1];
    if (last !== undefined) return { value, next: last === "*" ? null : Number(last) + 1 };
  }
  return undefined;
}

/** A group by its distinguished name, and by the value of that name's first part. */
const namesOfGroup = (dn: string): string[] => [dn, unescapeName(FIRST_NAME.exec(dn)?.[1] ?? "")].filter(Boolean);

/** A value of a distinguished name as people write it: without escapes (RFC 4514, section 2.4). */
const unescapeName = (value: string): string => withoutBytes(value.trim()).replace(/\\(.)/g, "$1");

/** A distinguished name whose characters are escaped by a backslash alone, not as bytes in hexadecimal. */
const withoutBytes = (name: string): string =>
  name.replace(/(?:\\[0-9a-f]{2})+/gi, (bytes) =>
    Buffer.from(bytes.replaceAll("\\", ""), "hex")
      .toString("utf8")
      .replace(/["#+,;<=>\\]/g, "\\$&"),
  );

/** What went wrong, for the log: without the password, which no error has, and without what the directory knows of people. */
const reasonOf = (error: unknown): string =>
  `${error instanceof Error ? error.name : "error"}: ${messageOf(error)}`.slice(0, 300);

/** The group of the site that the first entry of the settings with one of these names stands for; undefined: none does. */
export function groupFor(mapping: ReadonlyMap<string, string>, names: readonly string[]): string | undefined {
  const known = new Set(names.map(comparable));
  return [...mapping].find(([name]) => known.has(comparable(name)))?.[1];
}

/** Names that mean the same are the same: in any case, however escaped, with or without spaces around their parts. */
const comparable = (name: string): string =>
  withoutBytes(name)
    .toLowerCase()
    .replace(/(?<!\\)\s*([,=+])\s*/g, "$1");
