import type { Profile, SAML } from "@node-saml/node-saml";
import type { Db } from "../../../../db/types.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import { domainOf, type SsoName } from "../identity/sso-rules.ts";
import { keepFlow, readFlow, startFlow, takeFlow } from "../sign-in/flows.ts";
import {
  failedAt,
  type OutsideIdentity,
  type OutsideProvider,
  subjectOf,
  texts,
} from "../sign-in/identities/provider.ts";
import type { ProviderRow } from "./providers.ts";
import { samlKeyOf } from "./saml-key.ts";
import { isAttributes } from "./scim/protocol.ts";

type SamlDeps = Readonly<{ db: Db; vault: Vault }>;

const TRANSIENT = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient";
const EMAIL_FORMAT = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress";
const REQUEST_MS = 600_000;
const CLOCK_SKEW_MS = 60_000;
const MOST_GROUPS = 2000;

/** The gateway's own addresses for one provider; the entity id is where its metadata is. */
export const samlAddresses = (site: string, name: SsoName) => ({
  entityId: `${site}/saml/${name}/metadata`,
  acs: `${site}/saml/${name}/acs`,
});

/**
 * A SAML 2.0 identity provider: the request goes there by redirect, the response comes back by POST to our assertion consumer
 * service, which trades it for a code. The browser brings the code to the page of OAuth callbacks, whose cookie a POST of
 * another site would not carry.
 */
export function samlProvider(row: ProviderRow, deps: SamlDeps): OutsideProvider {
  const name: SsoName = `sso-${row.id}`;
  return {
    name,
    label: row.name,
    isEnabled: () => row.enabled,
    async authorizeAddress(_, { state, redirectUri }) {
      const site = redirectUri.slice(0, -`/oauth/${name}`.length);
      const { key } = await samlKeyOf(deps, row);
      const requests: Requests = {
        save: (id, value) => keepFlow(deps, "saml_request", id, { state, site, provider: name, value }),
        get: async () => null,
      };
      const saml = await openSaml(row, site, requests, { privateKey: key, signatureAlgorithm: "sha256" });
      return saml.getAuthorizeUrlAsync(state, undefined, {});
    },
    async identify(_, { state }, code) {
      const flow = await takeFlow(deps, "saml_identity", code, state);
      if (flow?.data.provider !== name) throw failedAt(row.name, "the response belongs to another sign-in");
      const { subject = "", groups = "[]", displayName, email } = flow.data;
      return { subject, groups: JSON.parse(groups) as string[], ...texts({ displayName, email }) };
    },
  };
}

/**
 * Checks a response and returns the code that stands for the identity, with the state of the sign-in that it answers. A
 * response counts once: what it responds to is used up. Throws an Error with the reason for the log.
 */
export async function acceptResponse(
  row: ProviderRow,
  deps: SamlDeps,
  response: string,
): Promise<{ code: string; state: string }> {
  const provider: SsoName = `sso-${row.id}`;
  refuseDangerousXml(Buffer.from(response, "base64").toString("utf8"));
  // The library asks for the request that the response names; the last one is what the signed assertion names.
  const requests: { id: string; data: Readonly<Record<string, string>> }[] = [];
  const site = await siteOfResponse(deps, provider, response);
  const saml = await openSaml(row, site, {
    save: async () => {},
    get: async (id) => {
      const flow = await readFlow(deps, "saml_request", id);
      if (flow?.data.provider !== provider) return null;
      requests.push({ id, data: flow.data });
      return flow.data.value ?? null;
    },
  });
  const { profile } = await saml.validatePostResponseAsync({ SAMLResponse: response });
  if (!profile) throw new Error("no assertion");
  const confirmed = bearerConfirmation(profile.getAssertion?.());
  const request = requests.find(({ id }) => id === confirmed.inResponseTo);
  if (!request || requests.some(({ id }) => id !== confirmed.inResponseTo))
    throw new Error("another request is confirmed");
  if (confirmed.recipient !== samlAddresses(site, provider).acs) throw new Error("another recipient");
  if (profile.issuer !== row.config.idp_issuer) throw new Error("another issuer");
  const identity = identityOf(row, profile);
  // Last, and in one statement: of two copies of a response one is refused.
  const flow = await takeFlow(deps, "saml_request", request.id);
  if (!flow) throw new Error("the response was used before");
  const state = flow.data.state ?? "";
  const { subject, displayName, email, groups } = identity;
  const data = { ...texts({ displayName, email }), subject, groups: JSON.stringify(groups ?? []), state, provider };
  return { code: await startFlow(deps, "saml_identity", { userId: null, data }), state };
}

/** The site that the request was made for; its name stands in a part that nobody has signed, and is checked afterwards. */
async function siteOfResponse(deps: SamlDeps, provider: SsoName, response: string): Promise<string> {
  const xml = Buffer.from(response, "base64").toString("utf8");
  const id = /\sInResponseTo="(_[0-9a-f]{40})"/.exec(xml)?.[1];
  const flow = id ? await readFlow(deps, "saml_request", id) : null;
  if (flow?.data.provider !== provider || !flow.data.site) throw new Error("it responds to no request");
  return flow.data.site;
}

type Requests = Readonly<{
  save: (id: string, value: string) => Promise<void>;
  get: (id: string) => Promise<string | null>;
}>;

type Signing = Readonly<{ privateKey?: string; signatureAlgorithm?: "sha256" }>;

/** The library with this provider's settings: signed requests, and signed assertions only, for us, in answer to one of ours. */
async function openSaml(row: ProviderRow, site: string, requests: Requests, signing: Signing = {}): Promise<SAML> {
  // Rarely used, so loaded with its first use.
  const { SAML, ValidateInResponseTo } = await import("@node-saml/node-saml");
  const { entityId, acs } = samlAddresses(site, `sso-${row.id}`);
  return new SAML({
    callbackUrl: acs,
    issuer: entityId,
    audience: entityId,
    entryPoint: row.config.entry_point ?? "",
    ...signing,
    idpCert: certificatesOf(row.config.certificate ?? ""),
    wantAssertionsSigned: true,
    wantAuthnResponseSigned: false,
    identifierFormat: null,
    disableRequestedAuthnContext: true,
    acceptedClockSkewMs: CLOCK_SKEW_MS,
    validateInResponseTo: ValidateInResponseTo.always,
    requestIdExpirationPeriodMs: REQUEST_MS,
    cacheProvider: {
      async saveAsync(key, value) {
        await requests.save(key, value);
        return { value, createdAt: Date.now() };
      },
      getAsync: requests.get,
      // `takeFlow` uses it up once everything else is right.
      removeAsync: async () => null,
    },
  });
}

function identityOf(row: ProviderRow, profile: Profile): OutsideIdentity {
  const { email_attribute: emailName, name_attribute: nameName, groups_attribute: groupsName } = row.config;
  if (profile.nameIDFormat === TRANSIENT) throw new Error("the name id is another one each time");
  const attributes = isAttributes(profile.attributes) ? profile.attributes : {};
  const first = (name: string | undefined): unknown => (name ? [attributes[name]].flat()[0] : undefined);
  const email = first(emailName) ?? (profile.nameIDFormat === EMAIL_FORMAT ? profile.nameID : undefined);
  const isOwn = typeof email === "string" && row.domains.includes(domainOf(email));
  const groups = groupsName ? [attributes[groupsName]].flat() : [];
  return {
    subject: subjectOf(profile.nameID, row.name),
    groups: groups.filter((group): group is string => typeof group === "string").slice(0, MOST_GROUPS),
    ...texts({ displayName: first(nameName), email: isOwn ? email : undefined }),
  };
}

const LONGEST_XML = 262_144;
/** Digests and signatures that can be forged (SHA-1, MD5), shared secrets, which a certificate is not, and escaped names. */
const WEAK_ALGORITHM = /Algorithm\s*=\s*["'][^"']*(?:sha1|md5|hmac|&)[^"']*["']/i;

/** Throws for XML that declares entities, is too large, or is signed by weak algorithms, before a parser reads it. */
function refuseDangerousXml(xml: string): void {
  if (xml.length > LONGEST_XML) throw new Error("the response is too large");
  if (/<!(?:DOCTYPE|ENTITY)/i.test(xml)) throw new Error("the response has a document type");
  if (WEAK_ALGORITHM.test(xml)) throw new Error("the signature's algorithm is weak");
}

/** The certificates in a text: in PEM, one after the other, or one as bare Base64. */
export function certificatesOf(text: string): string[] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g);
  return blocks ?? (text.trim() === "" ? [] : [text.replace(/\s+/g, "")]);
}

/** What a signed assertion says of the request that it answers, and of whom it is meant for. */
type Confirmation = Readonly<{ inResponseTo: string; recipient: string }>;

/**
 * Reads the only subject confirmation of an assertion whose signature was verified, in the form of xml2js. It must be of a
 * bearer, name the request and the recipient, and expire (SAML 2.0 profiles, 4.1.4.2). Throws when it is not so.
 */
function bearerConfirmation(parsed: unknown): Confirmation {
  const subjects = childrenOf(childrenOf(parsed, "Assertion")[0], "Subject");
  const confirmations = childrenOf(subjects[0], "SubjectConfirmation");
  const [confirmation] = confirmations;
  if (subjects.length !== 1 || confirmations.length !== 1 || attributeOf(confirmation, "Method") !== BEARER) {
    throw new Error("there is not one bearer confirmation");
  }
  const [data] = childrenOf(confirmation, "SubjectConfirmationData");
  const inResponseTo = attributeOf(data, "InResponseTo");
  const recipient = attributeOf(data, "Recipient");
  if (!inResponseTo || !recipient || !attributeOf(data, "NotOnOrAfter"))
    throw new Error("the confirmation is incomplete");
  return { inResponseTo, recipient };
}

const BEARER = "urn:oasis:names:tc:SAML:2.0:cm:bearer";

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;

function childrenOf(element: unknown, name: string): readonly unknown[] {
  const found = fieldOf(element, name);
  return Array.isArray(found) ? found : found === undefined ? [] : [found];
}

function attributeOf(element: unknown, name: string): string {
  const value = fieldOf(fieldOf(element, "$"), name);
  return typeof value === "string" ? value : "";
}
