/** Sign-in by a directory, against OpenLDAP's own server. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { and, eq } from "drizzle-orm";
import { Client } from "ldapts";
import { identities, users } from "../../../../db/schema/accounts/users.ts";
import {
  ADMIN,
  findSlapd,
  startTemporarySlapd,
  type TemporarySlapd,
} from "../../../../test/support/console/services/temporary-slapd.ts";
import { startTestConsole, TEST_PASSWORD, type TestConsole } from "../../../../test/support/console/start-console.ts";
import { escapeFilter, groupFor, membershipsOf } from "../../../domain/accounts/sign-in/identities/ldap.ts";
import type { OptionKey } from "../../../settings/registry/index.ts";

const SLAPD = findSlapd();
const person = (uid: string, name: string, more = "") => `
dn: uid=${uid},ou=people,dc=example,dc=com
objectClass: inetOrgPerson
uid: ${uid}
cn: ${name}
sn: ${name}
mail: ${uid.replaceAll(/\W/g, "")}@example.com
userPassword: ${uid} secret
${more}`;
/** As Active Directory has people; `guid` is bytes. */
const domainPerson = (cn: string, account: string, guid: string, control: number) => `
dn: cn=${cn},ou=domain,dc=example,dc=com
objectClass: inetOrgPerson
objectClass: extensibleObject
sn: ${account}
sAMAccountName: ${account}
userPrincipalName: ${account}@corp.example.com
objectGUID:: ${Buffer.from(guid, "latin1").toString("base64")}
userAccountControl: ${control}
userPassword: ${account} secret
`;
const ENTRIES = `dn: dc=example,dc=com
objectClass: dcObject
objectClass: organization
o: Example
dc: example

dn: ou=people,dc=example,dc=com
objectClass: organizationalUnit
ou: people

dn: ou=groups,dc=example,dc=com
objectClass: organizationalUnit
ou: groups

dn: ou=domain,dc=example,dc=com
objectClass: organizationalUnit
ou: domain
${domainPerson("Lovelace\\, Ada", "lady", "letters\0\u00ff\u0001\u0002\u0003", 512)}${domainPerson("Off", "off", "another id", 514)}
${person("ada", "Ada Lovelace")}${person("bob", "Bob")}${person("eve", "Eve")}${person("boss", "The other boss")}${person("star\\2a", "Star")}
dn: cn=Engineers,ou=groups,dc=example,dc=com
objectClass: groupOfNames
cn: Engineers
member: uid=ada,ou=people,dc=example,dc=com

dn: cn=All,ou=groups,dc=example,dc=com
objectClass: groupOfNames
cn: All
member: uid=ada,ou=people,dc=example,dc=com
member: uid=bob,ou=people,dc=example,dc=com
`;

test("values within a filter mean nothing but themselves", () => {
  expect(escapeFilter("a*)(uid=*")).toBe("a\\2a\\29\\28uid=\\2a");
  expect(escapeFilter("back\\slash\u0000")).toBe("back\\5cslash\\00");
});

test("the first group of the settings counts, by name or distinguished name in any case", () => {
  const mapping = new Map([
    ["engineers", "vip"],
    ["cn=all,ou=groups", "default"],
  ]);
  expect(groupFor(mapping, ["CN=All,OU=groups", "All", "Engineers"])).toBe("vip");
  expect(groupFor(mapping, ["CN=All,OU=groups"])).toBe("default");
  expect(groupFor(mapping, ["others"])).toBeUndefined();
});

test("memberOf comes in parts from large directories", async () => {
  const requests: unknown[] = [];
  const client = {
    async search(dn: string, { attributes, scope }: { attributes?: string[]; scope?: string } = {}) {
      requests.push([dn, scope, attributes]);
      const name = attributes?.[0] === "memberOf;range=2-*" ? "memberOf;range=2-3" : "memberOf;range=4-*";
      return { searchEntries: [{ dn, [name]: name.endsWith("*") ? "cn=e" : ["cn=c", "cn=d"] }], searchReferences: [] };
    },
  };
  const entry = { dn: "cn=ada", memberOf: [], "memberOf;range=0-1": ["cn=a", "cn=b"] };
  expect(await membershipsOf(client, entry)).toEqual(["cn=a", "cn=b", "cn=c", "cn=d", "cn=e"]);
  expect(requests).toEqual([
    ["cn=ada", "base", ["memberOf;range=2-*"]],
    ["cn=ada", "base", ["memberOf;range=4-*"]],
  ]);
  expect(await membershipsOf(client, { dn: "cn=bob", memberof: "cn=a" })).toEqual(["cn=a"]);
});

describe.skipIf(!SLAPD)("sign-in by LDAP", () => {
  let app: TestConsole;
  let slapd: TemporarySlapd;
  let bossId = 0;
  const set = async (options: Partial<Record<OptionKey, string>>) => {
    for (const [key, value] of Object.entries(options)) await app.settings.set(key as OptionKey, value);
  };
  const setUp = (): Partial<Record<OptionKey, string>> => ({
    "ldap.url": slapd.url,
    "ldap.start_tls": "true",
    "ldap.ca_certificate": slapd.authority,
    "ldap.bind_dn": ADMIN.dn,
    "ldap.bind_password": ADMIN.password,
    "ldap.user_base": "ou=people,dc=example,dc=com",
    "ldap.user_filter": "(uid={username})",
    "ldap.id_attribute": "entryUUID",
    "ldap.group_base": "ou=groups,dc=example,dc=com",
    "ldap.groups_required": "false",
    "ldap.groups": "{}",
    "ldap.enabled": "true",
  });
  beforeAll(async () => {
    if (SLAPD) slapd = await startTemporarySlapd(SLAPD, ENTRIES);
    app = await startTestConsole();
    bossId = await app.addUser("boss", "root");
  }, 60_000);
  beforeEach(() => set(setUp()));
  afterAll(async () => {
    await app?.close();
    await slapd?.stop();
  });

  const login = async (username: string, password: string) =>
    (await app.ask("POST", "/api/user/login", { username, password })).body;
  const userOf = async (username: string) => (await app.db.select().from(users).where(eq(users.username, username)))[0];

  test("the first sign-in makes an account, the next finds it by the entry's own id", async () => {
    const first = await login("ada", "ada secret");
    expect(first).toMatchObject({ success: true, data: { username: "ada", display_name: "Ada Lovelace" } });
    const ada = await userOf("ada");
    expect(ada).toMatchObject({ email: "ada@example.com", passwordHash: null, role: 1 });
    const [bound] = await app.db
      .select()
      .from(identities)
      .where(and(eq(identities.userId, ada?.id ?? 0), eq(identities.provider, "ldap")));
    expect(bound?.subject).toMatch(/^[0-9a-f]{8}-/);
    // The user name here may change: the entry stays theirs.
    await app.db.update(users).set({ username: "countess" }).where(eq(users.username, "ada"));
    expect(await login("ada", "ada secret")).toMatchObject({ success: true, data: { id: ada?.id } });
    await app.db.update(users).set({ username: "ada" }).where(eq(users.username, "countess"));
  });

  test.each([
    ["a wrong password", "ada", "bob secret"],
    ["nobody", "nobody", "nobody secret"],
    ["a pattern for anybody", "*", "ada secret"],
    ["a filter in the name", "ada)(|(uid=*", "ada secret"],
    ["the directory's administrator", "admin", ADMIN.password],
  ])("%s gets what a wrong password gets", async (_, username, password) => {
    expect(await login(username, password)).toMatchObject({ success: false, code: "login_failed" });
  });

  test("an empty password is never sent to the directory, which would take it", async () => {
    expect(await login("ada", "")).toMatchObject({ code: "login_required_fields" });
  });

  test("an entry with the name of an account here is another person", async () => {
    expect(await login("boss", TEST_PASSWORD)).toMatchObject({ data: { id: bossId } });
    const other = await login("boss", "boss secret");
    expect(other).toMatchObject({ success: true, data: { role: 1 } });
    expect(other.data).not.toMatchObject({ id: bossId });
  });

  test("wrong passwords count as those of accounts here do", async () => {
    const codes = [];
    for (let at = 0; at < 12; at += 1) codes.push((await login("eve", "wrong")).code);
    expect(codes).toEqual([...Array(10).fill("login_failed"), "login_throttled", "login_throttled"]);
    expect(await login("eve", "eve secret")).toMatchObject({ success: false, code: "login_throttled" });
    expect(await login("bob", "bob secret")).toMatchObject({ success: true });
  });

  test("groups of the directory decide the group here, at each sign-in", async () => {
    await set({ "ldap.groups": '{"Engineers": "vip", "All": "default"}' });
    await login("ada", "ada secret");
    expect((await userOf("ada"))?.group).toBe("vip");
    await set({ "ldap.groups": '{"cn=all,ou=groups,dc=example,dc=com": "plain"}' });
    await login("ada", "ada secret");
    expect((await userOf("ada"))?.group).toBe("plain");
    await set({ "ldap.groups": '{"Engineers": "vip"}', "ldap.groups_required": "true" });
    expect(await login("bob", "bob secret")).toMatchObject({ success: false, code: "ldap_group_refused" });
    expect(await login("ada", "ada secret")).toMatchObject({ success: true });
  });

  test("by TLS from the start, and never without the right certificate", async () => {
    await set({ "ldap.url": slapd.secureUrl, "ldap.start_tls": "false" });
    expect(await login("ada", "ada secret")).toMatchObject({ success: true });
    for (const url of [slapd.url, slapd.secureUrl]) {
      await set({ "ldap.url": url, "ldap.start_tls": "true", "ldap.ca_certificate": "" });
      expect(await login("ada", "ada secret")).toMatchObject({ success: false, code: "oauth_unreachable" });
    }
  });

  test("a directory that is away, or refuses the bind of the settings, is named; passwords of accounts here still do", async () => {
    await set({ "ldap.url": "ldap://127.0.0.1:1" });
    expect(await login("ada", "ada secret")).toMatchObject({ success: false, code: "oauth_unreachable" });
    expect(await login("boss", TEST_PASSWORD)).toMatchObject({ success: true });
    await set({ "ldap.url": slapd.url, "ldap.bind_password": "wrong" });
    const refused = await login("ada", "ada secret");
    expect(refused).toMatchObject({ success: false, code: "oauth_unreachable" });
    expect(JSON.stringify(refused)).not.toContain("wrong");
  });

  test("several entries for a name are nobody, and off is off", async () => {
    await set({ "ldap.user_filter": "(|(uid={username})(objectClass=inetOrgPerson))" });
    expect(await login("ada", "ada secret")).toMatchObject({ code: "login_failed" });
    await set({ "ldap.user_filter": "(uid={username})", "ldap.enabled": "false" });
    expect(await login("ada", "ada secret")).toMatchObject({ code: "login_failed" });
  });

  /** Adds a group while the directory runs: its overlay then writes `memberOf`. */
  const addGroup = async (dn: string, attributes: Record<string, string[]>) => {
    const client = new Client({ url: slapd.url });
    try {
      await client.startTLS({ servername: "localhost", ca: slapd.authority });
      await client.bind(ADMIN.dn, ADMIN.password);
      await client.add(dn, attributes);
    } finally {
      await client.unbind();
    }
  };

  const domain: Partial<Record<OptionKey, string>> = {
    "ldap.user_base": "dc=example,dc=com",
    "ldap.user_filter":
      "(&(|(sAMAccountName={username})(userPrincipalName={username}))(!(userAccountControl:1.2.840.113556.1.4.803:=2)))",
    "ldap.id_attribute": "objectGUID".toLowerCase(),
    "ldap.group_base": "",
  };

  test("either name of Active Directory is one person, called by the short one; a disabled one stays out", async () => {
    await set(domain);
    const first = await login("lady@corp.example.com", "lady secret");
    expect(first).toMatchObject({ success: true, data: { username: "lady", display_name: "Lovelace, Ada" } });
    const lady = await userOf("lady");
    const [bound] = await app.db
      .select()
      .from(identities)
      .where(eq(identities.userId, lady?.id ?? 0));
    expect(bound?.subject).toBe("6c65747465727300ff010203");
    expect(await login("LADY", "lady secret")).toMatchObject({ success: true, data: { id: lady?.id } });
    expect(await login("off", "off secret")).toMatchObject({ code: "login_failed" });
  });

  test("groups of memberOf count, by their names as people write them", async () => {
    await addGroup("cn=R&D\\, Berlin,ou=groups,dc=example,dc=com", {
      objectClass: ["groupOfNames"],
      member: ["cn=Lovelace\\, Ada,ou=domain,dc=example,dc=com"],
    });
    await set({ ...domain, "ldap.groups": '{"R&D, Berlin": "vip"}', "ldap.groups_required": "true" });
    expect(await login("lady", "lady secret")).toMatchObject({ success: true });
    expect((await userOf("lady"))?.group).toBe("vip");
    await set({ "ldap.groups": '{"CN=R&D\\\\, Berlin, OU=groups, DC=example, DC=com": "plain"}' });
    expect(await login("lady", "lady secret")).toMatchObject({ success: true });
    expect((await userOf("lady"))?.group).toBe("plain");
  });

  test("groups that list names list those of the directory, however they were typed", async () => {
    await addGroup("cn=posix,ou=groups,dc=example,dc=com", {
      objectClass: ["posixGroup"],
      gidNumber: ["100"],
      memberUid: ["ada"],
    });
    await set({ "ldap.group_filter": "(memberUid={username})", "ldap.groups": '{"posix": "vip"}' });
    await login("ADA", "ada secret");
    expect((await userOf("ada"))?.group).toBe("vip");
    await set({ "ldap.group_filter": "" });
  });

  test("a banned person stays out", async () => {
    await app.db.update(users).set({ status: 2 }).where(eq(users.username, "bob"));
    expect(await login("bob", "bob secret")).toMatchObject({ success: false, code: "user_banned" });
  });
});

test.each([
  ["ldap.group_filter", "(member:1.2.840.113556.1.4.1941:={dn})"],
  ["ldap.user_filter", "(&(sAMAccountName={username})(!(userAccountControl:1.2.840.113556.1.4.803:=2)))"],
] as const)("%s takes %s", async (key, value) => {
  const { registry } = await import("../../../settings/registry/index.ts");
  expect(registry[key].read(value, key).value).toBe(value);
});

test.each([
  ["ldap.url", "http://directory"],
  ["ldap.url", "ldap://user:password@directory"],
  ["ldap.url", "ldap://directory/dc=example"],
  ["ldap.user_filter", "(uid=everybody)"],
  ["ldap.user_filter", "(uid={username}"],
  ["ldap.user_filter", "uid={username}"],
  ["ldap.user_filter", "(uid={username})) (("],
  ["ldap.group_filter", "(member=all)"],
] as const)("%s refuses %s", async (key, value) => {
  const { registry } = await import("../../../settings/registry/index.ts");
  expect(() => registry[key].read(value, key)).toThrow();
});
