import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { users } from "../../../../db/schema/accounts/users.ts";
import { type Assertion, startSamlIdp } from "../../../../test/support/console/saml-idp.ts";
import { startTestConsole, type TestConsole } from "../../../../test/support/console/start-console.ts";

const SITE = "https://gate.example.com";
const PATH = "/api/identity_provider/";
let app: TestConsole;
let idp: Awaited<ReturnType<typeof startSamlIdp>>;
let other: Awaited<ReturnType<typeof startSamlIdp>>;
let root: Record<string, string>;
let id: number;
let name: string;

beforeAll(async () => {
  [idp, other] = await Promise.all([startSamlIdp(), startSamlIdp()]);
  app = await startTestConsole();
  await app.settings.set("ServerAddress", SITE);
  await app.addUser("root", "root");
  root = await app.login("root");
  const created = await app.ask("POST", PATH, body(), root);
  if (!created.body.success) throw new Error(created.text);
  id = (created.body.data as { id: number }).id;
  name = `sso-${id}`;
  idp.trust((await app.ask("GET", `/saml/${name}/metadata`)).text);
});
afterAll(async () => {
  await app.close();
  await Promise.all([idp.stop(), other.stop()]);
});
beforeEach(() => idp.say({ nameId: "alice" }));

const body = (config: Record<string, string> = {}) => ({
  ...{ type: "saml", name: "Acme", icon: "", enabled: true, secret: "", enforced: false, creates_accounts: true },
  ...{ domains: ["acme.example"], mappings: [] },
  config: {
    ...{ entry_point: idp.entryPoint, idp_issuer: idp.entityId, certificate: idp.certificate },
    ...{ email_attribute: "mail", name_attribute: "cn", groups_attribute: "groups" },
    ...config,
  },
});
const cookieOf = (headers: Headers) => headers.get("set-cookie")?.split(";")[0] ?? "";

/** To the provider and back with its response. */
const visit = async () => {
  const start = await app.ask("GET", `/api/oauth/${name}/start`);
  const { url } = start.body.data as { url: string };
  const { response, relayState } = (await (await fetch(url)).json()) as { response: string; relayState: string };
  return { response, relayState, cookie: cookieOf(start.headers) };
};
const post = (response: string, provider = name) =>
  app.send("POST", `/saml/${provider}/acs`, new URLSearchParams({ SAMLResponse: response }).toString(), {
    "content-type": "application/x-www-form-urlencoded",
    origin: "https://idp.acme.example",
    "sec-fetch-site": "cross-site",
  });
const finish = async (answer: Response, cookie: string) => {
  const location = answer.headers.get("location") ?? "";
  expect(location).toStartWith(`/oauth/${name}?`);
  return app.ask("GET", `/api${location}`, undefined, { cookie });
};
const ALICE: Assertion = { nameId: "alice", attributes: { mail: ["alice@acme.example"], cn: ["Alice"] } };
const refused = async (response: string) => {
  const answer = await post(response);
  expect([answer.status, answer.headers.get("location")]).toEqual([303, `/oauth/${name}?error=invalid_response`]);
};
const xmlOf = (response: string) => Buffer.from(response, "base64").toString();
const packed = (xml: string) => Buffer.from(xml).toString("base64");

describe("a SAML provider", () => {
  test("signs people in, and the browser that began gets the account", async () => {
    idp.say(ALICE);
    const { response, relayState, cookie } = await visit();
    const answer = await post(response);
    expect(new URL(answer.headers.get("location") ?? "", SITE).searchParams.get("state")).toBe(relayState);
    const done = await finish(answer, cookie);
    expect(done.body.data).toMatchObject({ email: "alice@acme.example", display_name: "Alice", sso: [name] });
    const again = await visit();
    const signedIn = await finish(await post(again.response), again.cookie);
    expect((signedIn.body.data as { id: number }).id).toBe((done.body.data as { id: number }).id);
  });

  test("finds an account by an address of its domains alone", async () => {
    const [mine, foreign] = [await app.addUser("mine"), await app.addUser("foreign")];
    await app.db.update(users).set({ email: "mine@acme.example" }).where(eq(users.id, mine));
    await app.db.update(users).set({ email: "foreign@other.example" }).where(eq(users.id, foreign));
    idp.say({ nameId: "m-1", attributes: { mail: ["mine@acme.example"] } });
    const first = await visit();
    expect((await finish(await post(first.response), first.cookie)).body.data).toMatchObject({ id: mine });
    idp.say({ nameId: "f-1", attributes: { mail: ["foreign@other.example"] } });
    const second = await visit();
    expect((await finish(await post(second.response), second.cookie)).body.code).toBe("sso_domain_refused");
  });

  test("has metadata, and is not found when it is off or does not exist", async () => {
    const { text, headers } = await app.ask("GET", `/saml/${name}/metadata`);
    expect(headers.get("content-type")).toContain("samlmetadata+xml");
    expect(text).toContain(`entityID="${SITE}/saml/${name}/metadata"`);
    // The provider of these tests refuses requests whose signature does not fit this certificate, which stays.
    expect(text).toContain(`AuthnRequestsSigned="true"`);
    expect((await app.ask("GET", `/saml/${name}/metadata`)).text).toBe(text);
    expect((await app.ask("GET", PATH, undefined, root)).body.data).toMatchObject([{ secret_set: false }]);
    for (const provider of ["sso-9999", "oidc", "x"]) {
      expect((await app.ask("GET", `/saml/${provider}/metadata`)).status).toBe(404);
      expect((await post("AAAA", provider)).status).toBe(404);
    }
  });

  test.each([
    [{ certificate: "no certificate" }, "sso_certificate_invalid"],
    [{ entry_point: "javascript:alert(1)" }, "sso_entry_point_invalid"],
    [{ idp_issuer: "" }, "sso_field_required"],
  ])("refuses the settings %j", async (config, code) =>
    expect((await app.ask("POST", PATH, body(config as Record<string, string>), root)).body.code).toBe(code),
  );
});

describe("attacks", () => {
  test("a response is good once, also when two copies come at the same time", async () => {
    idp.say(ALICE);
    const { response } = await visit();
    const answers = await Promise.all([post(response), post(response)]);
    const locations = answers.map((answer) => answer.headers.get("location") ?? "");
    expect(locations.filter((location) => location.includes("code="))).toHaveLength(1);
    await refused(response);
  });

  test.each<[string, Partial<Assertion>]>([
    ["that nobody has signed", { isSigned: false }],
    ["for another audience", { audience: "https://other.example/metadata" }],
    ["for another recipient", { recipient: "https://evil.example/acs" }],
    ["of another issuer", { issuer: "https://evil.example/saml" }],
    ["that has expired", { minutes: -5 }],
    ["that answers another request", { inResponseTo: `_${"0".repeat(40)}` }],
    ["that answers none", { inResponseTo: "" }],
    ["with a name that changes each time", { format: "urn:oasis:names:tc:SAML:2.0:nameid-format:transient" }],
  ])("an assertion %s is refused", async (_, change) => {
    idp.say({ ...ALICE, ...change });
    await refused((await visit()).response);
  });

  test("a response of another key is refused", async () => {
    other.trust((await app.ask("GET", `/saml/${name}/metadata`)).text);
    other.say({ ...ALICE, issuer: idp.entityId });
    const start = await app.ask("GET", `/api/oauth/${name}/start`);
    const url = new URL((start.body.data as { url: string }).url);
    const { response } = (await (await fetch(`${other.entryPoint}${url.search}`)).json()) as { response: string };
    await refused(response);
  });

  test("a signed assertion that is wrapped next to a forged one gives nobody away", async () => {
    idp.say(ALICE);
    const xml = xmlOf((await visit()).response);
    const [signed = ""] = /<saml:Assertion[\s\S]*<\/saml:Assertion>/.exec(xml) ?? [];
    const forged = signed
      .replace(/<ds:Signature[\s\S]*<\/ds:Signature>/, "")
      .replaceAll("alice", "root")
      .replace(/ID="_a\d+"/, 'ID="_forged"');
    const signature = /<ds:Signature[\s\S]*<\/ds:Signature>/.exec(signed)?.[0] ?? "";
    const withSignature = forged.replace("</saml:Issuer>", `</saml:Issuer>${signature}`);
    for (const wrapped of [
      xml.replace(signed, forged + signed),
      xml.replace(signed, signed + forged),
      xml.replace(signed, `${forged}<samlp:Extensions>${signed}</samlp:Extensions>`),
      xml.replace(signed, withSignature.replace("</saml:Assertion>", `${signed}</saml:Assertion>`)),
      xml.replace(signed, withSignature),
      xml.replace(signed, signed.replaceAll("alice", "root")),
      xml.replace(signed, signed.replace(">alice<", ">alice<!-- -->root<")),
      xml.replace(signed, forged),
      // The signed assertion in an Object of the signature that a forged one carries.
      xml.replace(
        signed,
        forged.replace(
          "</saml:Issuer>",
          `</saml:Issuer>${signature.replace("</ds:Signature>", `<ds:Object>${signed}</ds:Object></ds:Signature>`)}`,
        ),
      ),
      xml.replace(signed, signed.replace('ID="', 'ID="_x" xml:id="')),
      xml.replace("</samlp:Response>", `${forged}</samlp:Response>`),
    ]) {
      const answer = await post(packed(wrapped));
      const location = answer.headers.get("location") ?? "";
      expect(location).not.toContain("code=");
    }
  });

  test("documents with entities, weak algorithms, or nonsense are refused", async () => {
    idp.say(ALICE);
    const xml = xmlOf((await visit()).response);
    await refused(packed(`<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>${xml}`));
    await refused(packed(xml.replace("xmldsig-more#rsa-sha256", "xmldsig-more#hmac-sha256")));
    await refused(packed(xml.replace("xmldsig-more#rsa-sha256", "xmldsig-more#rsa-sh&#97;256")));
    await refused(
      packed(
        xml.replace("http://www.w3.org/2001/04/xmldsig-more#rsa-sha256", "http://www.w3.org/2000/09/xmldsig#rsa-sha1"),
      ),
    );
    for (const text of ["", "%%%", packed("<a/>"), packed("x".repeat(290_000))]) await refused(text);
  });

  test("a code is of use to the browser that began, once, and to no other", async () => {
    idp.say(ALICE);
    const { response, cookie } = await visit();
    const location = (await post(response)).headers.get("location") ?? "";
    const victim = await app.ask("GET", `/api/oauth/${name}/start`);
    const stolen = await app.ask("GET", `/api${location}`, undefined, { cookie: cookieOf(victim.headers) });
    expect([stolen.status, stolen.body.code]).toEqual([403, "oauth_state_wrong"]);
    expect((await app.ask("GET", `/api${location}`, undefined, { cookie })).body.success).toBe(true);
    expect((await app.ask("GET", `/api${location}`, undefined, { cookie })).status).toBe(403);
  });
});
